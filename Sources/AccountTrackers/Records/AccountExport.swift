public import Rejoin

/// Accounts and trackers in the shape in which the documents' server exports them.
///
/// Objects `{"accounts": [{id, email, nickname, createdAt, updatedAt}]}` and
/// `{"trackers": [{id, accountId, providerSlug, cooldownDays, lastLimitHitAt}]}`, with times in ISO-8601.
public struct AccountExport: Sendable {
  /// The accounts.
  public var accounts: [Account] = []

  /// The trackers.
  public var trackers: [Tracker] = []

  /// Makes an empty export.
  public init() {}

  /// Why an export cannot be read.
  @nonexhaustive
  public enum Failure: Error, Hashable, Sendable {
    /// The member `field` of an element is missing or not what it should be.
    case invalid(list: String, index: Int, field: String)
    /// The export has no list of this name.
    case missing(list: String)
  }

  /// Adds the accounts of an export.
  public mutating func addAccounts(from json: JSON) throws(Failure) {
    for element in try elements(of: "accounts", in: json) {
      accounts.append(
        Account(
          id: try element.id("id"), email: try element.text("email"),
          nickname: try element.optionalText("nickname"), createdAt: try element.time("createdAt"),
          updatedAt: try element.time("updatedAt")))
    }
  }

  /// Adds the trackers of an export.
  public mutating func addTrackers(from json: JSON) throws(Failure) {
    for element in try elements(of: "trackers", in: json) {
      trackers.append(
        Tracker(
          id: try element.id("id"), account: try element.id("accountId"),
          providerSlug: try element.text("providerSlug"), cooldownDays: try element.number("cooldownDays"),
          lastLimitHitAt: try element.optionalTime("lastLimitHitAt")))
    }
  }

  private func elements(of list: String, in json: JSON) throws(Failure) -> [Element] {
    guard case .array(let elements)? = json[list] else { throw .missing(list: list) }
    return elements.enumerated().map { Element(list: list, index: $0.offset, json: $0.element) }
  }
}

extension AccountExport.Failure: CustomStringConvertible {
  /// What does not fit, and where.
  public var description: String {
    switch self {
    case .invalid(let list, let index, let field):
      "Element \(index) of \"\(list)\" has no valid \"\(field)\"; mend the export."
    case .missing(let list): "The export has no list \"\(list)\"; is it another file?"
    }
  }
}

/// One object of a list.
private struct Element {
  let list: String
  let index: Int
  let json: JSON

  func id(_ field: String) throws(AccountExport.Failure) -> RecordID {
    guard let id = RecordID(try text(field)) else { throw invalid(field) }
    return id
  }

  func text(_ field: String) throws(AccountExport.Failure) -> String {
    guard let text = try optionalText(field) else { throw invalid(field) }
    return text
  }

  func optionalText(_ field: String) throws(AccountExport.Failure) -> String? {
    switch json[field] {
    case .string(let text): return text
    case nil, .null: return nil
    default: throw invalid(field)
    }
  }

  func number(_ field: String) throws(AccountExport.Failure) -> Int {
    guard case .int(let number)? = json[field], let result = Int(exactly: number) else {
      throw invalid(field)
    }
    return result
  }

  func time(_ field: String) throws(AccountExport.Failure) -> UnixTime {
    guard let time = try optionalTime(field) else { throw invalid(field) }
    return time
  }

  func optionalTime(_ field: String) throws(AccountExport.Failure) -> UnixTime? {
    guard let text = try optionalText(field) else { return nil }
    guard let milliseconds = ISO8601.milliseconds(text) else { throw invalid(field) }
    return UnixTime(milliseconds: milliseconds)
  }

  private func invalid(_ field: String) -> AccountExport.Failure {
    .invalid(list: list, index: index, field: field)
  }
}

import RejoinCore

/// An account as the server answers it.
struct Account {
  let id: RecordID
  let email: String
  let nickname: String?
  let created: Moment
  let updated: Moment

  /// The account as a line of JSON.
  var json: String {
    JSONText.object([
      "id": JSONText.string(id.description),
      "email": JSONText.string(email),
      "nickname": JSONText.string(nickname),
      "createdAt": JSONText.string(created.text),
      "updatedAt": JSONText.string(updated.text),
    ])
  }

  /// Makes accounts: the first ones take the awkward texts and times in turn, so that each is sure to occur;
  /// `count` exceeds the number of those.
  static func examples(count: Int, using generator: inout SplitMix64) -> [Account] {
    var accounts: [Account] = []
    for index in 0..<count {
      let created = created(at: index, using: &generator)
      let account = Account(
        id: RecordID.make(wallMilliseconds: created.milliseconds, using: &generator),
        email: email(at: index, after: accounts, using: &generator),
        nickname: nickname(at: index, using: &generator),
        created: created,
        updated: updated(after: created, using: &generator))
      accounts.append(account)
    }
    return accounts
  }

  private static func created(at index: Int, using generator: inout SplitMix64) -> Moment {
    let ordinary = Moment.ordinary(using: &generator)
    return index < Moment.awkward.count ? Moment.awkward[index] : ordinary
  }

  /// Mostly up to 90 days after `created`; one time in eight the very moment, one in thirty up to a day before.
  private static func updated(after created: Moment, using generator: inout SplitMix64) -> Moment {
    if generator.chance(1, in: 8) { return created }
    if generator.chance(1, in: 30) { return created.moved(by: -generator.number(in: 1..<86_400_000)) }
    return created.moved(by: generator.number(in: 1..<7_776_000_000))
  }

  /// Every twentieth account has the address of an earlier one.
  private static func email(
    at index: Int, after accounts: [Account], using generator: inout SplitMix64
  ) -> String {
    if index < AwkwardText.emails.count { return AwkwardText.emails[index] }
    if index.isMultiple(of: 20) { return generator.element(of: accounts).email }
    let first = generator.element(of: ["ada", "alan", "barbara", "frances", "grace", "ken", "radia"])
    let last = generator.element(of: ["allen", "hopper", "liskov", "lovelace", "perlman", "turing"])
    return "\(first).\(last).\(index)@example.com"
  }

  /// A third has none; every tenth of the others an awkward one.
  private static func nickname(at index: Int, using generator: inout SplitMix64) -> String? {
    if index < AwkwardText.nicknames.count { return AwkwardText.nicknames[index] }
    if generator.chance(1, in: 3) { return nil }
    if generator.chance(1, in: 10) {
      return generator.element(of: AwkwardText.nicknames.filter { $0.utf8.count < 100 })
    }
    return generator.element(of: ["Work", "Home", "Spare", "Research", "Old", "Shared"]) + " \(index)"
  }
}

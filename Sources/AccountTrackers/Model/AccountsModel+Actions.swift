public import Rejoin

extension AccountsModel {
  /// Adds an account with one tracker for each provider; see ``AccountBook/addAccount(email:nickname:providers:)``.
  ///
  /// - Returns: the account's id; nil when it was refused, as ``lastError`` says.
  @discardableResult
  public func addAccount(email: String, nickname: String? = nil, providers: [Provider] = []) -> RecordID? {
    var id: RecordID?
    act { id = try book.addAccount(email: email, nickname: nickname, providers: providers) }
    return id
  }

  /// Changes an account; see ``AccountBook/editAccount(_:_:)``.
  ///
  /// - Returns: whether it was done; ``lastError`` says why not.
  @discardableResult
  public func editAccount(_ id: RecordID, _ change: (inout Account) throws -> Void) -> Bool {
    act { try book.editAccount(id, change) }
  }

  /// Deletes an account; see ``AccountBook/deleteAccount(_:)``.
  ///
  /// - Returns: whether it was done; ``lastError`` says why not.
  @discardableResult
  public func deleteAccount(_ id: RecordID) -> Bool { act { try book.deleteAccount(id) } }

  /// Brings a deleted account back; see ``AccountBook/restoreAccount(_:)``.
  ///
  /// - Returns: whether it was done; ``lastError`` says why not.
  @discardableResult
  public func restoreAccount(_ id: RecordID) -> Bool { act { try book.restoreAccount(id) } }

  /// Says that a limit was hit; see ``AccountBook/startCooldown(_:hit:)``.
  ///
  /// - Returns: whether it was done; ``lastError`` says why not.
  @discardableResult
  public func startCooldown(_ tracker: RecordID, hit: UnixTime? = nil) -> Bool {
    act { try book.startCooldown(tracker, hit: hit) }
  }

  /// Says when the limit was hit instead; see ``AccountBook/editCooldown(_:hit:)``.
  ///
  /// - Returns: whether it was done; ``lastError`` says why not.
  @discardableResult
  public func editCooldown(_ tracker: RecordID, hit: UnixTime) -> Bool {
    act { try book.editCooldown(tracker, hit: hit) }
  }

  /// Says that the limit was hit again; see ``AccountBook/restart(_:)``.
  ///
  /// - Returns: whether it was done; ``lastError`` says why not.
  @discardableResult
  public func restart(_ tracker: RecordID) -> Bool { act { try book.restart(tracker) } }

  /// Says that the limit is not hit; see ``AccountBook/clear(_:)``.
  ///
  /// - Returns: whether it was done; ``lastError`` says why not.
  @discardableResult
  public func clear(_ tracker: RecordID) -> Bool { act { try book.clear(tracker) } }

  /// An action that succeeds takes the last error away.
  @discardableResult
  private func act(_ body: () throws -> Void) -> Bool {
    guard attempt(body) else { return false }
    lastError = nil
    return true
  }
}

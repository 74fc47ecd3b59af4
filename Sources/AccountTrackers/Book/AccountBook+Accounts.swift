public import Rejoin

extension AccountBook {
  /// Adds an account with one tracker for each provider.
  ///
  /// An account with this e-mail address may be there already, here or on another device: both stay, and are marked
  /// as possible doubles.
  ///
  /// - Returns: the account's id.
  /// - Throws: ``AccountError/emptyEmail``, ``AccountError/invalidProvider(index:)``,
  ///   ``AccountError/repeatedProvider(index:)``, `ReplicaError.upgradeRequired`, and what the store throws.
  @discardableResult
  public func addAccount(
    email: String, nickname: String? = nil, providers: [Provider] = []
  ) throws -> RecordID {
    guard !email.isBlank else { throw AccountError.emptyEmail }
    try providers.check()
    let now = replica.now
    let id = replica.newID()
    try replica.write(AccountAction.addAccount.label) { transaction in
      try transaction.insert(
        Account(id: id, email: email, nickname: nickname, createdAt: now, updatedAt: now))
      for provider in providers {
        try transaction.insert(
          Tracker(
            id: replica.newID(), account: id, providerSlug: provider.slug, cooldownDays: provider.cooldownDays
          ))
      }
      try transaction.append(Activity.values(.addAccount, account: id, at: now), to: Activity.log)
    }
    return id
  }

  /// Changes an account; one that is the same afterwards is not written, and nothing is logged.
  ///
  /// - Throws: ``AccountError/accountNotFound(_:)``, ``AccountError/emptyEmail``, what `change` throws,
  ///   `ReplicaError.idChanged`, `ReplicaError.upgradeRequired`, and what the store throws.
  public func editAccount(_ id: RecordID, _ change: (inout Account) throws -> Void) throws {
    let now = replica.now
    try replica.write(AccountAction.editAccount.label) { transaction in
      guard let before = try transaction.get(Account.self, id) else { throw AccountError.accountNotFound(id) }
      var after = before
      try change(&after)
      guard after != before else { return }
      guard !after.email.isBlank else { throw AccountError.emptyEmail }
      after.updatedAt = now
      try transaction.update(Account.self, id) { $0 = after }
      try transaction.append(Activity.values(.editAccount, account: id, at: now), to: Activity.log)
    }
  }

  /// Deletes an account; its trackers disappear with it, on every device.
  ///
  /// - Throws: ``AccountError/accountNotFound(_:)``, `ReplicaError.upgradeRequired`, and what the store throws.
  public func deleteAccount(_ id: RecordID) throws {
    let now = replica.now
    try replica.write(AccountAction.deleteAccount.label) { transaction in
      guard try transaction.fields(of: id, in: Account.collection) != nil else {
        throw AccountError.accountNotFound(id)
      }
      try transaction.delete(Account.self, id)
      try transaction.append(Activity.values(.deleteAccount, account: id, at: now), to: Activity.log)
    }
  }

  /// Brings a deleted account back with its trackers, as they were and with what was edited meanwhile.
  ///
  /// - Throws: ``AccountError/accountNotFound(_:)`` where nothing is known of it,
  ///   ``AccountError/accountNotDeleted(_:)``, `ReplicaError.upgradeRequired`, and what the store throws.
  public func restoreAccount(_ id: RecordID) throws {
    let now = replica.now
    try replica.write(AccountAction.restoreAccount.label) { transaction in
      do {
        try transaction.restore(Account.self, id)
      } catch ReplicaError.recordNotVisible(_) {
        throw AccountError.accountNotFound(id)
      } catch ReplicaError.recordNotDeleted(_) {
        throw AccountError.accountNotDeleted(id)
      }
      try transaction.append(Activity.values(.restoreAccount, account: id, at: now), to: Activity.log)
    }
  }
}

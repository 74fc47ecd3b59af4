extension Replica {
  /// Lets go of the replica's file and of every lock on it, once the call that runs has ended.
  ///
  /// Call it before the operating system suspends the application: iOS ends one that holds a lock on a file in a
  /// shared container. Until ``resume()`` every call that needs the file throws a typed error and changes nothing.
  /// A replica in memory holds nothing and goes on.
  public func suspend() {
    withEngine { engine in
      engine.store.suspend()
      engine.diagnosticObservers.tell(.suspended)
    }
  }

  /// Opens the replica's file again, and tells what other processes committed meanwhile.
  ///
  /// - Throws: what opening the file throws, also when it was deleted, replaced or set back meanwhile; the replica
  ///   then stays suspended, and nothing was written.
  public func resume() throws {
    try withEngine { engine in
      try engine.store.resume(after: engine.header)
      do {
        try engine.reading { $0.diagnosticObservers.tell(.resumed) }
      } catch {
        engine.store.suspend()
        throw error
      }
    }
  }

  /// Runs `body` with the store, alone, outside of any transaction.
  package func withStore<Result>(_ body: (any Store) throws -> Result) throws -> Result {
    try withEngine { try body($0.store) }
  }
}

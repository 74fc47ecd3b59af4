extension Replica {
  /// What changes from now on: each transaction, each merge, each register that comes due and what other processes
  /// commit to the same file, told once, after its commit; what a server's pages bring is told at the load's end.
  public func changes() -> EventStream<ChangeSet> {
    withEngine { engine in
      // Who listens from now on is not told what came before.
      engine.tellHeld()
      return engine.observers.add { [weak self] number in
        // The end may be signalled while the lock is held; leave before taking it.
        Task { self?.withEngine { $0.observers.remove(number) } }
      }
    }
  }

  /// What those who look after an application want to know from now on, and no reader needs to.
  public func diagnostics() -> EventStream<Diagnostic> {
    withEngine { engine in
      engine.diagnosticObservers.add { [weak self] number in
        Task { self?.withEngine { $0.diagnosticObservers.remove(number) } }
      }
    }
  }

  /// Looks for what other processes have committed to the same file, and tells it; every call that reads or writes
  /// does so too.
  ///
  /// Call it when the application comes to the foreground, or when another process has signalled a change.
  public func refresh() throws {
    try reading { _ in }
  }
}

package import RejoinCore

/// Who cuts the pages that are kept: what one sender said goes on only with what the same one says.
package struct PageSender: Hashable, Sendable {
  /// The sender's id.
  package var replica: ReplicaID
  /// What is another one after the sender was set back to an earlier state.
  package var incarnation: String

  /// Names a sender.
  package init(replica: ReplicaID, incarnation: String) {
    self.replica = replica
    self.incarnation = incarnation
  }
}

/// What became of a page.
package enum Staged: Sendable {
  /// It is kept until the last one has come.
  case kept
  /// It was the last, and everything that was kept is merged.
  case merged(MergeReport)
  /// It does not follow on what is here: ask for one that does.
  case outOfPlace
}

/// How far a replica has come in a channel: what to ask for next.
package struct PagePosition: Hashable, Sendable {
  /// What it covers with the pages that it keeps: the provisional vector.
  package var vector: VersionVector
  /// Where within a timestamp the last page ended, if it did.
  package var place: DeltaPlace?

  /// Makes a position.
  package init(vector: VersionVector = VersionVector(), place: DeltaPlace? = nil) {
    self.vector = vector
    self.place = place
  }
}

extension Engine {
  /// Where the pages of a channel go on.
  func position(in channel: String) throws -> PagePosition {
    guard let head = try Stage(store, channel).head() else { return PagePosition(vector: vector) }
    return PagePosition(vector: vector.merging(head.position.vector), place: head.position.place)
  }

  /// Keeps a page; with the last one merges all of them, in the transaction in which they are taken away.
  ///
  /// Until then the vector stays where it is: to move it page by page would claim what an early winner hides, and to
  /// merge before it moves would show what no vector names.
  mutating func stage(_ page: DeltaPage, from sender: PageSender, in channel: String) throws -> Staged {
    try writing { engine, due in
      try engine.checkDataset(of: page.delta)
      var stage = Stage(engine.store, channel)
      var head = try stage.head()
      // One that covers less than before was set back, whatever it says.
      if let known = head, known.sender != sender || !page.delta.through.covers(known.through) { head = nil }
      let isFirst = page.start == nil && engine.vector.covers(page.delta.from)
      if isFirst { head = nil }
      if head == nil { try stage.clear() }
      let position = head?.position ?? PagePosition()
      let reached = engine.vector.merging(position.vector)
      guard isFirst || head != nil && page.start == position.place && reached.covers(page.delta.from) else {
        try engine.commit(local: stage.writes, due)
        return .outOfPlace
      }
      guard page.end == nil else {
        let next = PagePosition(
          vector: reached.merging(page.reach), place: page.end.flatMap { $0.isWhole ? nil : $0 })
        stage.keep(
          page.delta,
          with: StageHead(
            sender: sender, through: page.delta.through, position: next, pages: (head?.pages ?? 0) + 1))
        try engine.commit(local: stage.writes, due)
        return .kept
      }
      let earlier = isFirst ? [] : try stage.pages(head)
      try stage.clear()
      guard let earlier else {
        try engine.commit(local: stage.writes, due)
        return .outOfPlace
      }
      let delta = Delta.joining(earlier + [page.delta], latestAcceptable: due.moment.latestAcceptable)
      return .merged(try engine.merge(delta, due, keeping: stage.writes))
    }
  }

  fileprivate mutating func commit(local: [LocalWrite], _ due: borrowing DueRegisters) throws {
    var commit = StoreCommit(after: header)
    commit.local = local
    _ = try self.commit(commit, clock: due.clock, vector: vector, cause: .merge, due: due)
  }
}

extension Replica {
  /// What follows in timestamp order on what a replica has that is at a position.
  ///
  /// - Complexity: O(n log n) in what is returned, whatever is stored.
  package func page(after position: PagePosition, byteLimit: Int) throws -> DeltaPage {
    try reading { try $0.page(since: position.vector, after: position.place, byteLimit: byteLimit) }
  }

  /// Where the pages of a channel go on.
  package func position(in channel: String) throws -> PagePosition {
    try reading { try $0.position(in: channel) }
  }

  /// Keeps a page of a channel; with the last one merges all of them.
  ///
  /// - Throws: what ``merge(_:)`` throws; then everything stays as it was.
  package func stage(
    _ page: DeltaPage, from sender: PageSender, in channel: String
  ) throws -> Staged {
    try withEngine { try $0.stage(page, from: sender, in: channel) }
  }
}

extension Replica {
  /// What is kept for this device under a key, beside the data.
  package func keptText(_ key: LocalKey) throws -> String? { try reading { try $0.store.local(key) } }

  /// Keeps a text for this device; nil takes it away.
  package func keep(_ text: String?, under key: LocalKey) throws {
    try withEngine { engine in
      try engine.writing { engine, due in
        let isKept = try engine.store.local(key) == text
        try engine.commit(local: isKept ? [] : [LocalWrite(key, text)], due)
      }
    }
  }

  /// Random bits of the replica's environment.
  package func randomBits() -> UInt64 { environment.randomBits() }

  /// This replica as a sender of pages; its incarnation is drawn when it is first asked for.
  package func sender() throws -> PageSender {
    let key = LocalKey("incarnation", Array(id.description.utf8))
    if let kept = try keptText(key) { return PageSender(replica: id, incarnation: kept) }
    var generator = EnvironmentGenerator(environment)
    try keep(generator.next().hexadecimal, under: key)
    return PageSender(replica: id, incarnation: try keptText(key) ?? "")
  }
}

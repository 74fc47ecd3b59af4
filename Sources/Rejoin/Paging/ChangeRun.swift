import RejoinCore

/// The entries of the change index that a vector does not cover, of all origins, in order of their timestamps.
///
/// Each step costs O(log n) in the origins.
struct ChangeRun {
  /// An entry.
  struct Change {
    var timestamp: Timestamp
    var key: StoredKey
  }

  private let store: any Store
  /// What was read ahead of each origin, and where to go on.
  private var ahead: [ReplicaID: (changes: ArraySlice<ChangePlace>, last: ChangePlace, isAtEnd: Bool)] = [:]
  /// The next entry of each origin that has one: a heap, the earliest first.
  private var heap: [Timestamp] = []

  private static let readAhead = 64

  /// Starts with what `vector` does not cover, but for what stands within `place`'s timestamp before it.
  init(_ store: any Store, notCoveredBy vector: VersionVector, after place: DeltaPlace?) throws {
    self.store = store
    let key = place?.rest.flatMap(StoredKey.init)
    for origin in try store.origins() {
      let covered = vector[origin]
      guard covered < .distantFuture else { continue }
      ahead[origin] = ([], ChangePlace(covered), false)
      try fill(origin)
    }
    guard let place, let key, vector[place.timestamp.replica] < place.timestamp.time else { return }
    try skip(place.timestamp, through: key)
  }

  /// Leaves out what of a timestamp stands before a place, if nothing comes before the timestamp.
  ///
  /// Should something come before it after all, which is later news, the timestamp is told from its beginning.
  private mutating func skip(_ timestamp: Timestamp, through key: StoredKey) throws {
    guard heap.first == timestamp else { return }
    removeFirst()
    ahead[timestamp.replica] = ([], ChangePlace(timestamp.time, key), false)
    try fill(timestamp.replica)
  }

  /// The next entry; nil behind the last.
  func peek() -> Change? {
    guard let timestamp = heap.first, let next = ahead[timestamp.replica]?.changes.first, let key = next.key
    else { return nil }
    return Change(timestamp: timestamp, key: key)
  }

  /// Goes on behind the next entry.
  mutating func advance() throws {
    guard let origin = heap.first?.replica else { return }
    removeFirst()
    ahead[origin]?.changes.removeFirst()
    try fill(origin)
  }

  /// Puts the next entry of an origin into the heap, if there is one.
  private mutating func fill(_ origin: ReplicaID) throws {
    guard var part = ahead[origin] else { return }
    if part.changes.isEmpty, !part.isAtEnd {
      part.changes = try store.changes(by: origin, after: part.last, limit: ChangeRun.readAhead)[...]
      part.isAtEnd = part.changes.count < ChangeRun.readAhead
      part.last = part.changes.last ?? part.last
      ahead[origin] = part
    }
    if let next = part.changes.first { insert(Timestamp(time: next.time, replica: origin)) }
  }

  private mutating func insert(_ timestamp: Timestamp) {
    heap.append(timestamp)
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < heap.count }).min(by: {
      heap[$0] < heap[$1]
    }),
      heap[child] < heap[index]
    {
      heap.swapAt(index, child)
      index = child
    }
  }
}

/// All that the future of a world depends on: of two worlds with equal keys, the same steps make the same of both.
///
/// The oracles judge by the operations and by which of them had seen which others, so these belong to it, beside what
/// the steps act on. Left out are the numbers of messages, which only a trace shows, and the order in which two
/// operations happened that had not seen each other: an operation is named by its replica and by how many came before
/// it there. Nothing that a ``ReplicatedType`` may say of a ``Past`` depends on that order.
struct WorldKey: Hashable {
  /// Replicas, operations and what is known of them, and messages, one after the other behind the numbers of the first
  /// two: they can be told from each other.
  private var words: [Int32] = []
  private let clocks: WallClocks
  private let cut: Set<Network<Int>.Link>
  private let absent: Set<Int>

  init(_ world: World<NumberedReplica>) {
    clocks = world.clocks
    cut = world.network.cut
    absent = world.network.absent
    let events = world.replicas.indices.flatMap { replica in world.events.filter { $0.replica == replica } }
    words.reserveCapacity(2 + 7 * world.replicas.count + 3 * events.count)
    add(world.replicas.count)
    for replica in world.replicas { add(replica.state) }
    add(events.count)
    for event in events {
      add(event.replica)
      add(event.operation)
      add(event.past, of: events)
    }
    for knowledge in world.knowledge + world.saved { add(knowledge, of: events) }
    // They arrive in the order in which they were sent when all faults are over, so that it counts.
    for message in world.network.underWay {
      add(message.sender)
      add(message.receiver)
      add(message.content)
      add(message.knowledge, of: events)
    }
  }

  private mutating func add(_ number: Int) { words.append(Int32(number)) }

  private mutating func add(_ knowledge: Knowledge, of events: [Past<Int>.Event]) {
    add(knowledge.certain, of: events)
    add(knowledge.possible, of: events)
  }

  /// A bit for each event, 32 in a word.
  private mutating func add(_ numbers: NumberSet, of events: [Past<Int>.Event]) {
    for start in stride(from: 0, to: events.count, by: 32) {
      var word: UInt32 = 0
      for (bit, event) in events[start...].prefix(32).enumerated() where numbers.contains(event.number) {
        word |= 1 << bit
      }
      words.append(Int32(bitPattern: word))
    }
  }
}

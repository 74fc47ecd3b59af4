import RejoinCore

/// A channel that loses, duplicates and reorders what is put into it.
struct LossyChannel<Message> {
  /// What happened to the messages so far.
  struct Counts {
    var sent = 0
    var lost = 0
    var duplicated = 0
    var overtaken = 0
  }

  private(set) var counts = Counts()
  private var generator: SplitMix64
  private var waiting: [(number: Int, message: Message)] = []

  /// Shares of messages that are lost, and duplicated, in percent.
  private let lossPercent: Int
  private let duplicatePercent: Int

  init(seed: UInt64, lossPercent: Int, duplicatePercent: Int) {
    generator = SplitMix64(seed: seed)
    self.lossPercent = lossPercent
    self.duplicatePercent = duplicatePercent
  }

  /// Puts a message in; it may come out never, once or twice.
  mutating func send(_ message: Message) {
    counts.sent += 1
    if generator.succeeds(percent: lossPercent) {
      counts.lost += 1
      return
    }
    waiting.append((counts.sent, message))
    if generator.succeeds(percent: duplicatePercent) {
      counts.duplicated += 1
      waiting.append((counts.sent, message))
    }
  }

  /// Takes some of the messages out, in any order; what is left comes later.
  mutating func receive() -> [Message] {
    guard !waiting.isEmpty else { return [] }
    waiting = generator.shuffled(waiting)
    let count = 1 + generator.number(below: waiting.count)
    let taken = waiting.prefix(count)
    waiting.removeFirst(count)
    counts.overtaken += zip(taken, taken.dropFirst()).count { $0.number > $1.number }
    return taken.map(\.message)
  }
}

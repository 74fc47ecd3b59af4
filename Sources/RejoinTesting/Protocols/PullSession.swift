import Rejoin
import RejoinCore

/// What a replica and one neighbour know of each other: it asks, and answers, in both directions.
///
/// Who asks tells its vector, as entries that differ from one that both ends know. Who answers sends the delta since
/// that vector. Both need to say little:
///
/// - An answer that was merged moves what both know of the asking end: to the vector that it asked with and all that
///   the answer brought. The next question names that answer and differs from there.
/// - An answer also tells how far the answering end itself had come, so that it need not say so when it asks in turn.
/// - An origin of which the neighbour had no more than it knew this end to have need not be named: nothing would come
///   back. When something does come back after all, it is named again.
///
/// What is lost, repeated or overtaken costs bytes, never soundness: a question counts only on answers that were
/// merged, so nobody is believed to cover more than it does.
struct PullSession {
  /// What a question or an answer takes.
  struct Bytes {
    /// The message, framed.
    var message: [UInt8]

    /// How many bytes it would take if deltas were sent whole.
    var wholeSize: Int

    /// How many numbers and entries of vectors it holds.
    var numbers: Int

    /// How many registers and log entries it carries.
    var elements = 0
  }

  private struct Question {
    /// The vector that was asked with.
    var vector: VersionVector
    /// The entries that were named.
    var named: [VersionVector.Entry]
    /// What the neighbour knew of this end without them, as far as this end can tell.
    var known: VersionVector
  }

  /// The replicas of the data set, in an order that both ends know.
  private let roster: [ReplicaID]

  // As the end that asks.
  private var lastAsked = 0
  private var unanswered: [Int: Question] = [:]
  /// The last answer that was merged, and what both ends know this one covers since.
  private var agreed = (number: 0, vector: VersionVector())
  /// The last answer that brought something, and the vector that it was given with.
  private var heard = (number: 0, vector: VersionVector())
  /// The origins that need not be named.
  private var quiet: Set<ReplicaID> = []

  // As the end that answers.
  private var lastAnswered = 0
  /// What both ends know the neighbour covers once it has merged an answer.
  private var promised: [Int: VersionVector] = [:]
  /// The vectors that answers were given with, and the last of them.
  private var told: [Int: VersionVector] = [:]
  private var lastTold = VersionVector()

  /// Starts between two ends that know nothing of each other but who belongs to the data set.
  init(roster: [ReplicaID]) {
    self.roster = roster
  }

  /// Asks for what `replica` lacks.
  mutating func question(of replica: Replica) -> Bytes {
    lastAsked += 1
    let known = agreed.vector.merging(lastTold)
    let named = known.missing(from: replica.version).filter { !quiet.contains($0.replica) }
    var question = Question(vector: agreed.vector, named: named, known: known)
    for entry in named { question.vector.advance(entry.replica, to: entry.time) }
    unanswered[lastAsked] = question

    let followsLast = agreed.number == lastAsked - 1
    var writer = ByteWriter()
    writer.write(count: lastAsked << 1 | (followsLast ? 0 : 1))
    if !followsLast { writer.write(count: agreed.number) }
    if !named.isEmpty {
      VectorDifference(named.map { ($0.replica, $0.time) })
        .write(to: &writer, against: agreed.vector, roster: roster)
    }
    return Bytes(
      message: writer.bytes, wholeSize: writer.bytes.count, numbers: (followsLast ? 1 : 2) + named.count)
  }

  /// Answers a question from what `replica` knows; nil when the question was overtaken or came before.
  mutating func answer(_ message: [UInt8], from replica: Replica) throws -> Bytes? {
    var reader = ByteReader(message)
    let head = try reader.readNumber()
    let number = head >> 1
    let base = head & 1 == 0 ? number - 1 : try reader.readNumber()
    guard number > lastAnswered else { return nil }
    guard var vector = base == 0 ? VersionVector() : promised[base] else {
      throw CodingError.malformed("question", offset: 0)
    }
    if !reader.isAtEnd {
      let named = try VectorDifference(from: &reader, against: vector, roster: roster)
      for (origin, time) in named.entries { vector.advance(origin, to: time) }
    }
    lastAnswered = number
    promised = promised.filter { $0.key >= base }
    let delta = try replica.delta(since: vector.merging(heard.vector))
    var writer = ByteWriter()
    writer.write(count: number)
    guard !delta.isEmpty else {
      promised[number] = vector
      return Bytes(message: writer.bytes, wholeSize: writer.bytes.count, numbers: 1)
    }
    promised[number] = vector.merging(delta.through)
    told[number] = delta.through
    lastTold = delta.through
    let numberSize = writer.bytes.count
    writer.write(count: heard.number)
    let frame = DeltaFrame(delta)
    let wholeSize = frame.write(to: &writer, roster: roster)
    return Bytes(
      message: writer.bytes, wholeSize: numberSize + wholeSize, numbers: 2 + frame.exceptions.entries.count,
      elements: delta.registerCount + delta.entryCount)
  }

  /// Merges what an answer brings; nothing happens when it was overtaken or came before.
  mutating func take(_ message: [UInt8], into replica: Replica) throws {
    var reader = ByteReader(message)
    let number = try reader.readNumber()
    guard let question = unanswered[number] else { return }
    if reader.isAtEnd {
      agreed = (number, question.vector)
    } else {
      let used = try reader.readNumber()
      guard let own = used == 0 ? VersionVector() : told[used] else {
        throw CodingError.malformed("answer", offset: 0)
      }
      told = told.filter { $0.key >= used }
      let since = question.vector.merging(own)
      let delta = try DeltaFrame.read(
        from: &reader, dataset: replica.dataset, since: since, roster: roster)
      learn(from: delta, to: question, at: replica.version)
      try replica.merge(delta)
      agreed = (number, question.vector.merging(delta.through))
      heard = (number, delta.through)
    }
    unanswered = unanswered.filter { $0.key > number }
  }

  /// Notes which origins need not be named, and which must be.
  private mutating func learn(from delta: Delta, to question: Question, at version: VersionVector) {
    for entry in question.named where delta.through[entry.replica] <= question.known[entry.replica] {
      quiet.insert(entry.replica)
    }
    for entry in delta.from.missing(from: delta.through)
    where version[entry.replica] > delta.from[entry.replica] {
      quiet.remove(entry.replica)
    }
  }
}

extension ByteReader {
  fileprivate mutating func readNumber() throws(CodingError) -> Int {
    try readIndex(into: "numbers", count: Int.max)
  }
}

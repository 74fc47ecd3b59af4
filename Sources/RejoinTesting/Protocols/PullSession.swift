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
///
/// Numbers travel as their last bits, as QUIC's do (RFC 9000, appendix A), and whole when many questions in a row went
/// unanswered. A repeated question that is so late that its number is taken for a new one can confuse the ends; but the
/// check of an answer covers the whole number and the vector that the delta starts from, so that such an answer is
/// found out, and the asking end begins anew, as it does when nobody answered for long. By the check the asking end also finds which of the vectors that it told
/// the delta starts from, so that no answer has to say it.
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
  /// The vector that the last answer which brought something was given with.
  private var heard = VersionVector()
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
    let isWhole = lastAsked - agreed.number > Numbering.patience
    if isWhole { agreed = (0, VersionVector()) }
    let known = agreed.vector.merging(lastTold)
    let named = known.missing(from: replica.version).filter { !quiet.contains($0.replica) }
    var question = Question(vector: agreed.vector, named: named, known: known)
    for entry in named { question.vector.advance(entry.replica, to: entry.time) }
    unanswered[lastAsked] = question

    let followsLast = agreed.number == lastAsked - 1
    var writer = ByteWriter()
    writer.write(
      Numbering.head(lastAsked, isWhole: isWhole, !followsLast))
    if isWhole { writer.write(count: lastAsked) }
    if !followsLast { writer.write(count: agreed.number == 0 ? 0 : lastAsked - agreed.number) }
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
    let head = try Numbering(from: &reader)
    guard let number = head.number(after: lastAnswered) else { return nil }
    let distance = head.flag ? try reader.readNumber() : 1
    let base = distance == 0 ? 0 : number - distance
    // A base that is not known is that of a question which came again much later.
    guard var vector = base == 0 ? VersionVector() : promised[base] else { return nil }
    if distance == 0 { heard = VersionVector() }
    if !reader.isAtEnd {
      let named = try VectorDifference(from: &reader, against: vector, roster: roster)
      for (origin, time) in named.entries { vector.advance(origin, to: time) }
    }
    lastAnswered = number
    promised = promised.filter { $0.key >= base }
    let lastHeard = told.keys.filter { $0 <= base }.max() ?? 0
    told = told.filter { $0.key >= lastHeard }
    let delta = try replica.delta(since: vector.merging(heard))
    var writer = ByteWriter()
    let frame = DeltaFrame(delta, number: number)
    writer.write(Numbering.head(number, isWhole: head.whole != nil, frame.hasExceptions))
    if head.whole != nil { writer.write(count: number) }
    guard !delta.isEmpty else {
      promised[number] = vector
      return Bytes(message: writer.bytes, wholeSize: writer.bytes.count, numbers: 1)
    }
    promised[number] = vector.merging(delta.through)
    told[number] = delta.through
    lastTold = delta.through
    let numberSize = writer.bytes.count
    let wholeSize = frame.write(to: &writer, roster: roster)
    return Bytes(
      message: writer.bytes, wholeSize: numberSize + wholeSize, numbers: 1 + frame.exceptions.entries.count,
      elements: delta.registerCount + delta.entryCount)
  }

  /// Merges what an answer brings; nothing happens when it was overtaken or came before.
  mutating func take(_ message: [UInt8], into replica: Replica) throws {
    var reader = ByteReader(message)
    let head = try Numbering(from: &reader)
    guard let number = head.number(among: unanswered.keys), let question = unanswered[number] else { return }
    if reader.isAtEnd {
      agreed = (number, question.vector)
    } else {
      // The answer does not say which of the vectors that this end told it starts from; its check does.
      let candidates = [VersionVector()] + told.sorted { $0.key < $1.key }.map(\.value)
      let frame = DeltaFrame.Place(
        number: number, hasExceptions: head.flag,
        candidates: candidates.reversed().map { question.vector.merging($0) })
      guard let delta = try frame.read(from: &reader, dataset: replica.dataset, roster: roster) else {
        return beginAnew()
      }
      let used = told.filter { question.vector.merging($0.value) == delta.from }.keys.max()
      if let used { told = told.filter { $0.key >= used } }
      learn(from: delta, to: question, at: replica.version)
      try replica.merge(delta)
      agreed = (number, question.vector.merging(delta.through))
      heard = delta.through
    }
    unanswered = unanswered.filter { $0.key > number }
  }

  /// Counts on nothing that the ends were thought to know of each other.
  private mutating func beginAnew() {
    unanswered = [:]
    agreed = (0, VersionVector())
    heard = VersionVector()
    quiet = []
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

/// The number of a question, as both ends count them, in one byte: its last six bits, and two flags.
private struct Numbering {
  /// Questions without an answer after which a number is written whole.
  static let patience = 16

  private static let bits = 63

  /// The number, where it is written whole.
  let whole: Int?

  /// What else the byte says: of a question that it does not count on the one before, of an answer that its vectors
  /// need exceptions.
  let flag: Bool

  private let low: Int

  /// The byte of a number.
  static func head(_ number: Int, isWhole: Bool, _ flag: Bool) -> UInt8 {
    UInt8(number & bits) << 2 | (isWhole ? 2 : 0) | (flag ? 1 : 0)
  }

  /// Reads the byte, and the number if it follows whole.
  init(from reader: inout ByteReader) throws(CodingError) {
    let head = try reader.readByte()
    low = Int(head >> 2)
    flag = head & 1 == 1
    whole = head & 2 == 0 ? nil : try reader.readNumber()
  }

  /// The number of a question, at the end that answered the one of `last` before; nil when it came too late.
  func number(after last: Int) -> Int? {
    if let whole { return whole > last ? whole : nil }
    let distance = (low - last - 1) & Self.bits
    return distance <= Self.patience ? last + 1 + distance : nil
  }

  /// The number of an answer, at the end that asked; nil when nobody waits for it.
  func number(among asked: some Sequence<Int>) -> Int? {
    whole ?? asked.filter { $0 & Self.bits == low }.max()
  }
}

extension ByteReader {
  fileprivate mutating func readNumber() throws(CodingError) -> Int {
    try readIndex(into: "numbers", count: Int.max)
  }
}

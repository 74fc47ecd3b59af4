import RejoinCore

/// The source of every random decision of a test: drawn at random the first time, read from a sequence when a
/// history is replayed or shrunk, and walked through when all histories are tried.
///
/// Whoever draws must not ask anybody else for randomness, so that the sequence alone determines the history. Drawing
/// until something suits, or as many things as chance wills, is fine; the exhaustive mode leaves out operations that
/// take more than 32 draws.
/// Source: MacIver, Donaldson, *Test-Case Reduction via Test-Case Generation* (ECOOP 2020).
public struct Choices: Sendable {
  /// What a choice decides, which tells the shrinker what it may do with it.
  enum Role: Sendable {
    /// How many replicas there are.
    case replicaCount
    /// What kind of step comes next.
    case step
    /// Which replica it happens at.
    case replica
    /// Which message it is about.
    case message
    /// Anything else.
    case value
  }

  /// One decision that was made.
  struct Choice: Sendable {
    var value: UInt64
    var role: Role
  }

  private enum Source: Sendable {
    case random(SplitMix64)
    case sequence(ChoiceSequence, next: Int)
    case enumeration(Enumeration)
  }

  private var source: Source

  /// What most of a narrow history is about.
  enum Focus: Sendable {
    /// Whatever is drawn.
    case anything
    /// One place.
    case place
    /// One place, and what counters and sets are about.
    case counting
  }

  /// What most draws should be about; what is read from a sequence stays what it is.
  var focus = Focus.anything

  /// The decisions so far.
  private(set) var made: [Choice] = []

  /// How many steps have begun, in a sequence that says where they do.
  private var stepCount = 0

  /// Whether more was asked for than the sequence holds: it then stands for no history.
  private(set) var isOverrun = false

  /// Whether a choice was read that could not have been made: a shrinker's edit, or another generator's sequence.
  private(set) var isOutOfRange = false

  /// Draws at random: for tests of a generator by itself.
  public init(seed: UInt64) {
    source = .random(SplitMix64(seed: seed))
  }

  /// Reads from a sequence.
  init(replaying sequence: ChoiceSequence) {
    source = .sequence(sequence, next: 0)
  }

  /// Draws what comes next in a walk through everything.
  init(enumerating enumeration: Enumeration) {
    source = .enumeration(enumeration)
  }

  /// How far the walk has come; nil when this is none.
  var enumeration: Enumeration? {
    if case .enumeration(let enumeration) = source { enumeration } else { nil }
  }

  /// Whether choices are read from a sequence.
  var isReplay: Bool {
    if case .sequence = source { true } else { false }
  }

  /// Whether the sequence is at its end; never when choices are drawn at random.
  var isAtEnd: Bool {
    guard case .sequence(let sequence, let next) = source else { return false }
    return sequence.stepStarts.map { stepCount >= $0.count } ?? (next >= sequence.values.count)
  }

  /// The next step begins, wherever the one before ended.
  mutating func beginStep() {
    guard case .sequence(let sequence, _) = source, let starts = sequence.stepStarts else { return }
    source = .sequence(sequence, next: starts[stepCount])
    stepCount += 1
  }

  /// Where the choices end that are meant for this step, or for what comes before the first one.
  private func end(of sequence: ChoiceSequence) -> Int {
    guard let starts = sequence.stepStarts, stepCount < starts.count else { return sequence.values.count }
    return starts[stepCount]
  }

  /// A number from 0 to one less than `bound`; smaller ones count as simpler when a failure is shrunk.
  public mutating func number(below bound: Int) -> Int {
    draw(below: bound, role: .value) { $0.number(below: bound) }
  }

  /// The number of a place where something happens; in narrow histories almost always the first one.
  mutating func place(below bound: Int) -> Int {
    number(below: bound, favouring: focus == .anything ? nil : 0)
  }

  /// A number below `bound`, most often a certain one.
  mutating func number(below bound: Int, favouring favourite: Int?) -> Int {
    draw(below: bound, role: .value) { generator in
      if let favourite, generator.succeeds(percent: 85) { return favourite }
      return generator.number(below: bound)
    }
  }

  /// A number of a range; those near its lower bound count as simpler.
  ///
  /// Of a range with more numbers than an `Int` can count, the upper part is left out.
  public mutating func number(in range: ClosedRange<Int>) -> Int {
    let (difference, isTooLarge) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    return range.lowerBound + number(below: isTooLarge || difference == .max ? .max : difference + 1)
  }

  /// One of the elements, of which there must be one; earlier ones count as simpler.
  public mutating func element<Element>(of elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  /// Whether something happens that has a chance of `parts` in a hundred.
  public mutating func happens(percent parts: Int) -> Bool {
    let isPossible = { $0 == 1 ? parts > 0 : parts < 100 }
    return draw(below: 2, role: .value, where: isPossible) { $0.succeeds(percent: parts) ? 1 : 0 } == 1
  }

  /// An index into `weights`, each as likely as it is heavy; one that is zero is never drawn, but may be read.
  mutating func index(weights: [Int], role: Role) -> Int {
    draw(below: weights.count, role: role, where: { weights[$0] > 0 }) { generator in
      var rest = generator.number(below: weights.reduce(0, +))
      for (index, weight) in weights.enumerated() {
        if rest < weight { return index }
        rest -= weight
      }
      return 0
    }
  }

  /// The number of a replica, of those that are meant, of which there should be one; any one when it is read.
  ///
  /// They are counted from `start` on.
  mutating func replica(
    below count: Int, from start: Int = 0, where isMeant: (Int) -> Bool = { _ in true }
  ) -> Int {
    draw(below: count, role: .replica, where: isMeant) { generator in
      let meant = (0..<count).lazy.map { (start + $0) % count }.filter(isMeant)
      guard let first = meant.first else { return start % count }
      let number = generator.number(below: meant.count)
      return meant.dropFirst(number).first ?? first
    }
  }

  /// The place of a message among those under way, of those that are meant, of which there should be one.
  mutating func message(below count: Int, where isMeant: (Int) -> Bool) -> Int {
    draw(below: count, role: .message, where: isMeant) { generator in
      let meant = (0..<count).filter(isMeant)
      return meant.isEmpty ? 0 : generator.element(of: meant)
    }
  }

  /// A number of replicas, up to a greatest one: at random at least two, if so many may be, and rather many.
  ///
  /// In narrow histories there are three at most, if so few may be.
  mutating func replicaCount(from fewest: Int, upTo greatest: Int) -> Int {
    let isNarrow = focus != .anything
    let others = draw(below: greatest, role: .replicaCount) { generator in
      guard greatest > 1 else { return 0 }
      let fewest = min(max(fewest, 2), greatest)
      let bound = min(greatest, isNarrow ? max(3, fewest) : greatest) - fewest + 1
      return fewest - 1 + max(generator.number(below: bound), generator.number(below: bound))
    }
    return 1 + others
  }

  /// A number below `bound`: by itself, from a sequence, or the next one of a walk that is possible.
  private mutating func draw(
    below bound: Int, role: Role, where isPossible: (Int) -> Bool = { _ in true },
    _ random: (inout SplitMix64) -> Int
  ) -> Int {
    let value: Int
    switch source {
    case .random(var generator):
      value = random(&generator)
      source = .random(generator)
    case .sequence(let sequence, let next):
      if next < end(of: sequence) {
        // Out of range after an edit before it: any number of the range will do, and the record has that one.
        if sequence.values[next] >= UInt64(max(bound, 1)) { isOutOfRange = true }
        value = Int(sequence.values[next] % UInt64(max(bound, 1)))
      } else {
        isOverrun = sequence.stepStarts == nil
        // Not always the same: some generators draw until something else comes.
        var generator = SplitMix64(seed: UInt64(made.count))
        value = random(&generator)
      }
      source = .sequence(sequence, next: next + 1)
    case .enumeration(var enumeration):
      let few = role == .value ? min(bound, enumeration.values) : bound
      if made.count < Enumeration.mostDraws {
        value = enumeration.draw(below: few, where: isPossible)
      } else {
        // As above; what comes of it is not counted.
        enumeration.giveUp()
        var generator = SplitMix64(seed: UInt64(made.count))
        value = random(&generator)
      }
      source = .enumeration(enumeration)
    }
    made.append(Choice(value: UInt64(value), role: role))
    return value
  }
}

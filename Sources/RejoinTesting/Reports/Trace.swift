/// A history as something to be read or drawn, whatever the type under test.
public struct Trace: Sendable {
  /// What happened in one step.
  public enum Event: Sendable, Equatable {
    /// A user did something.
    case operation(replica: Int, String)
    /// A message was to be made and to arrive at once.
    case exchange(from: Int, to: Int, Fate)
    /// A message was to be made and to be under way from now on.
    case send(message: Int, from: Int, to: Int, Fate)
    /// A message arrived; it stays under way when it is to arrive once more.
    case arrival(message: Int, from: Int, to: Int, Fate, isLast: Bool)
    /// A message is lost.
    case loss(message: Int, from: Int, to: Int)
    /// Something else happened to a replica.
    case incident(replica: Int, Incident)
    /// Something happened to all: time passed, links were cut or mended.
    case note(String)
  }

  /// What became of a message in one step.
  public enum Fate: Sendable, Equatable {
    /// Its receiver took it in.
    case taken
    /// Its receiver refused it.
    case refused
    /// It will arrive later, if at all.
    case underWay
    /// The link was cut.
    case cut
    /// There was none: the sender had nothing to say.
    case unsaid
  }

  /// What happens to one replica besides operations and messages.
  public enum Incident: Sendable, Equatable {
    /// It kept what had happened so far.
    case save
    /// Its process ended and started again.
    case crash
    /// Its clock went wrong.
    case clock
  }

  /// A step.
  public struct Row: Sendable, Equatable {
    /// What happened.
    public var event: Event

    /// The step in words.
    public var text: String

    /// The replica that it happened to, and what it showed afterwards; nil when nobody's state was concerned.
    public var shown: Shown?
  }

  /// What a replica shows.
  public struct Shown: Sendable, Equatable {
    /// The replica.
    public var replica: Int

    /// What it shows.
    public var observation: String
  }

  /// How many replicas there are.
  public let replicaCount: Int

  /// The steps, in order.
  public let rows: [Row]

  /// What each replica shows in the end, after everybody met everybody; as far as that got.
  public let outcome: [String]

  /// What was wrong.
  public let violation: Violation?

  /// Whether it was wrong during the last step, and not only after everybody met everybody.
  public let failsWithinSteps: Bool

  /// How many steps came before the first row.
  public internal(set) var skippedSteps = 0
}

extension Trace {
  /// The same with the last rows only; a message that was sent before them arrives in one row.
  func suffix(_ count: Int) -> Trace {
    var sent: Set<Int> = []
    let rows = rows.suffix(count).map { row in
      var row = row
      switch row.event {
      case .send(let message, _, _, .underWay): sent.insert(message)
      case .arrival(let message, let from, let to, let fate, _) where !sent.contains(message):
        row.event = .exchange(from: from, to: to, fate)
      case .loss(let message, _, _) where !sent.contains(message): row.event = .note(row.text)
      default: break
      }
      return row
    }
    return Trace(
      replicaCount: replicaCount, rows: rows, outcome: outcome, violation: violation,
      failsWithinSteps: failsWithinSteps, skippedSteps: skippedSteps + self.rows.count - rows.count)
  }

  /// The history in words, a step a line, with what the replica concerned showed afterwards.
  public var text: String {
    var lines = rows.enumerated().map { index, row in
      let step = "\(skippedSteps + index + 1)"
      let number = String(repeating: " ", count: max(3 - step.count, 0)) + step
      let shown = row.shown.map { "   \(Step<Never>.name($0.replica)) shows \($0.observation)" } ?? ""
      return "\(number)  \(row.text)\(shown)".legible
    }
    if !failsWithinSteps {
      lines.append(
        "     everybody meets everybody   "
          + outcome.enumerated().map { "\(Step<Never>.name($0.offset)) shows \($0.element)".legible }
          .joined(separator: ", "))
    }
    return lines.joined(separator: "\n")
  }
}

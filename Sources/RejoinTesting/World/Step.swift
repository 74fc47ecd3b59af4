/// One thing that happens in a history.
///
/// Replicas are meant by their numbers, counted from 0.
public enum Step<Operation: Sendable>: Sendable {
  /// A user does something at a replica.
  case operate(replica: Int, Operation)
  /// A replica makes a message for another one, which takes it in at once.
  case exchange(from: Int, to: Int)
  /// A replica makes a message for another one, which is then under way.
  case send(from: Int, to: Int)
  /// One of the messages under way arrives; they overtake each other.
  case deliver(message: Int)
  /// One of the messages under way arrives, and will arrive once more.
  case duplicate(message: Int)
  /// One of the messages under way never arrives.
  case lose(message: Int)
  /// From now on, whatever one replica sends to another is lost: a partition in one direction.
  case cut(from: Int, to: Int)
  /// All links work again.
  case mend
  /// A replica keeps what happened so far.
  case save(replica: Int)
  /// A replica's process ends and starts again.
  case crash(replica: Int)
  /// Time passes.
  case wait(milliseconds: Int64)
  /// A replica's clock is set forward or back.
  case setClock(replica: Int, byMilliseconds: Int64)
  /// A replica's clock stops, or goes on if it had stopped.
  case stopClock(replica: Int)
  /// A replica's clock shows only multiples of this from now on.
  case coarsenClock(replica: Int, milliseconds: Int64)
  /// A replica leaves: nobody is at it, and nothing reaches it.
  case leave(replica: Int)
  /// A replica is there again.
  case comeBack(replica: Int)
  /// All faults are over, and everybody meets everybody, as at the end of every history.
  case meet
}

extension Step: CustomStringConvertible {
  /// The step in a few words, with letters for replicas.
  public var description: String {
    switch self {
    case .operate(let replica, let operation): "\(Self.name(replica)): \(operation)"
    case .exchange(let from, let to): "\(Self.name(from)) -> \(Self.name(to))"
    case .send(let from, let to): "\(Self.name(from)) sends to \(Self.name(to))"
    case .deliver(let message): "message \(message + 1) of those under way arrives"
    case .duplicate(let message): "message \(message + 1) of those under way arrives and stays"
    case .lose(let message): "message \(message + 1) of those under way is lost"
    case .cut(let from, let to): "the link \(Self.name(from)) -> \(Self.name(to)) is cut"
    case .mend: "all links are mended"
    case .save(let replica): "\(Self.name(replica)) saves"
    case .crash(let replica): "\(Self.name(replica)) crashes"
    case .wait(let milliseconds): "\(milliseconds) ms pass"
    case .setClock(let replica, let amount):
      "\(Self.name(replica))'s clock is set \(amount < 0 ? "back" : "forward") by \(abs(amount)) ms"
    case .stopClock(let replica): "\(Self.name(replica))'s clock stops or goes on"
    case .coarsenClock(let replica, let amount): "\(Self.name(replica))'s clock ticks every \(amount) ms"
    case .leave(let replica): "\(Self.name(replica)) leaves"
    case .comeBack(let replica): "\(Self.name(replica)) comes back"
    case .meet: "everybody meets everybody"
    }
  }

  /// The letter of a replica, from A.
  static func name(_ replica: Int) -> String {
    replica < 26 ? String(UnicodeScalar(UInt8(65 + replica))) : "R\(replica)"
  }
}

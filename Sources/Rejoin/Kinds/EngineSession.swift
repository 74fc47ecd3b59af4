import RejoinCore

/// The session of one opening of a replica: its id names the registers of counters and sets that nobody else raises.
///
/// The id is drawn when it is first needed, and never stored for later use. A file that was copied or set back is
/// opened anew and goes on under another one, so nothing that it adds can be taken for what the original added.
final class EngineSession {
  private let environment: ReplicaEnvironment
  private var drawn: UInt64?

  /// How far this replica's own writes were given to others, as far as this opening knows: all before it may have been.
  var givenThrough = HybridTime.zero

  init(_ environment: ReplicaEnvironment) {
    self.environment = environment
  }

  /// The session's id.
  var id: UInt64 {
    if let drawn { return drawn }
    let id = environment.randomBits()
    drawn = id
    return id
  }
}

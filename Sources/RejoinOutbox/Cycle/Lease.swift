import Foundation
import Rejoin
import RejoinCore

/// Who is exchanging with a server, of all the processes that have the replica's file open.
///
/// Nothing depends on it but work: two that exchange at once send the same entries under the same keys and take in the
/// same pages. It is kept with the first thing that an exchange writes, so that one with nothing to do writes nothing.
struct Lease: Hashable, Sendable {
  /// The process that holds it.
  var process: Int32
  /// Until when, in milliseconds since the Unix epoch; moved on with every request.
  var until: Int64

  /// How long it holds without being moved on, in milliseconds: longer than a request may take.
  static let milliseconds: Int64 = 90_000

  /// Whether it keeps a process from exchanging.
  ///
  /// One that ends later than any that was ever given belongs to a wall clock that has stepped back. What is of the same
  /// process was left by an exchange that was dropped; within a process ``OutboxDriver`` lets one at a time.
  func excludes(_ process: OutboxProcess, at wallMilliseconds: Int64) -> Bool {
    self.process != process.id && wallMilliseconds < until
      && until <= wallMilliseconds + Lease.milliseconds && process.isRunning(self.process)
  }
}

/// A process as others on the machine see it.
package struct OutboxProcess: Sendable {
  /// Its number.
  package var id: Int32
  /// Whether another one runs.
  package var isRunning: @Sendable (_ id: Int32) -> Bool

  /// Makes one for those who test what two do.
  package init(id: Int32, isRunning: @escaping @Sendable (_ id: Int32) -> Bool) {
    self.id = id
    self.isRunning = isRunning
  }

  /// This process.
  static let current = OutboxProcess(id: ProcessInfo.processInfo.processIdentifier) { id in
    // Signal 0 is never sent; a process that may not be signalled runs.
    kill(id, 0) == 0 || errno == EPERM
  }
}

extension ServerTransaction {
  /// Whether another process is exchanging with the server now.
  func isLeased(against process: OutboxProcess) throws -> Bool {
    try lease()?.excludes(process, at: wallMilliseconds) ?? false
  }

  /// Takes the lease, or moves it on.
  mutating func lease(to process: OutboxProcess) throws {
    try keep(text: "\(process.id) \(wallMilliseconds + Lease.milliseconds)", as: "lease")
  }

  /// Gives the lease back.
  mutating func endLease(of process: OutboxProcess) throws {
    if try lease()?.process == process.id { try keep(text: nil, as: "lease") }
  }

  private func lease() throws -> Lease? {
    guard let text = try text("lease") else { return nil }
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 2, let process = Int32(parts[0]), let until = Int64(parts[1]) else {
      throw OutboxError.damagedState("lease")
    }
    return Lease(process: process, until: until)
  }
}

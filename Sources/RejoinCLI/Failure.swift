import Foundation
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinSQLite

/// Why a command could not be carried out: what happened, to which file, and what to do about it.
struct Failure: Error {
  /// How the process ends.
  var exitCode: ExitCode

  /// One or two sentences for a person.
  var message: String

  /// The command was not understood.
  static func usage(_ message: String) -> Failure { Failure(exitCode: .usage, message: message) }

  /// The command was understood, and refused.
  static func refused(_ message: String) -> Failure { Failure(exitCode: .refused, message: message) }

  /// A peer or a server failed.
  static func peer(_ message: String) -> Failure { Failure(exitCode: .peer, message: message) }

  /// A file could not be used.
  static func storage(_ message: String) -> Failure { Failure(exitCode: .storage, message: message) }
}

extension Failure {
  /// Takes what the library or the system threw while working on `file`.
  init(_ error: any Error, file: String?) {
    let prefix = file.map { "\($0): " } ?? ""
    switch error {
    case let failure as Failure: self = failure
    case let error as ReplicaError: self = .refused(prefix + error.description)
    case let error as JSONError: self = .refused(prefix + error.description)
    case let error as CodingError: self = .refused(prefix + error.description)
    case let error as OutboxError: self.init(error, prefix: prefix)
    case let error as SQLiteError: self = .storage(error.description)
    case let error as StoreError: self = .storage(error.description)
    default: self = .storage(prefix + error.localizedDescription)
    }
  }

  private init(_ error: OutboxError, prefix: String) {
    switch error {
    case .pullDoesNotMove: self = .peer(prefix + error.description)
    case .noSuchDeadLetter, .entryOfLog, .notStopped: self = .refused(prefix + error.description)
    default: self = .storage(prefix + error.description)
    }
  }

  /// Runs `body` and takes what it throws as a failure that concerns `file`.
  static func naming<Result>(_ file: String, _ body: () throws -> Result) throws(Failure) -> Result {
    do {
      return try body()
    } catch {
      throw Failure(error, file: file)
    }
  }

  /// The failure as the one object that `--json` prints: the exit code, its name and the message; after wrong
  /// usage also the usage of the verb.
  func json(usage: String?) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member("exit", .int(Int64(exitCode.rawValue))),
      JSON.Member("kind", .string(exitCode.name)),
      JSON.Member("message", .string(message)),
    ]
    if let usage, exitCode == .usage { members.append(JSON.Member("usage", .string(usage))) }
    return ["error": .object(members)]
  }
}

import Foundation
import Rejoin
import RejoinCore
import RejoinSQLite

/// Opens and makes the replica files that the verbs work on.
enum ReplicaFile {
  /// Opens a replica that exists; nothing is ever created.
  static func open(_ path: String, arguments: Arguments) throws -> Replica {
    try requireFile(path, hint: "Make a replica with: rejoin init \(path)")
    guard try !isEmpty(path) else {
      throw Failure.storage("\(path) is an empty file, not a replica. Remove it, then: rejoin init \(path)")
    }
    let configuration = try configuration(arguments)
    return try Failure.naming(path) { try Replica(at: path, configuration: configuration) }
  }

  /// Opens the replica that `FILE` names.
  static func open(_ arguments: Arguments) throws -> Replica {
    try open(arguments.text("FILE"), arguments: arguments)
  }

  /// Makes a new replica; a file that exists is left as it is.
  static func create(_ path: String, dataset: DatasetID?, arguments: Arguments) throws -> Replica {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Failure.refused("\(path) exists already and was left as it is. Choose another path.")
    }
    var configuration = try configuration(arguments)
    configuration.dataset = dataset
    return try Failure.naming(path) { try Replica(at: path, configuration: configuration) }
  }

  /// The system's environment, with the wall clock that `--now` fixes.
  static func configuration(_ arguments: Arguments) throws(Failure) -> ReplicaConfiguration {
    var configuration = ReplicaConfiguration()
    if let now = try arguments.nowMilliseconds { configuration.environment.wallMilliseconds = { now } }
    return configuration
  }

  /// Throws unless there is a file at `path`, or something that can be read like one.
  static func requireFile(_ path: String, hint: String) throws(Failure) {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .storage("There is no file \(path). \(hint)")
    }
    let type = try attributes(of: path)[.type] as? FileAttributeType
    guard type != .typeDirectory else { throw .storage("\(path) is a folder, not a file. \(hint)") }
  }

  private static func isEmpty(_ path: String) throws(Failure) -> Bool {
    (try attributes(of: path)[.size] as? NSNumber)?.intValue == 0
  }

  private static func attributes(of path: String) throws(Failure) -> [FileAttributeKey: Any] {
    try Failure.naming(path) { try FileManager.default.attributesOfItem(atPath: resolved(path)) }
  }

  /// Throws when two replicas of different data sets could not merge, before anything of either is touched.
  ///
  /// An empty one takes the data set of the other.
  static func requireOneDataset(_ receiver: Replica, in file: String, _ sender: Replica) throws(Failure) {
    guard receiver.dataset != sender.dataset, !receiver.version.isEmpty, !sender.version.isEmpty else {
      return
    }
    throw Failure(
      ReplicaError.differentDataset(replica: receiver.id, own: receiver.dataset, other: sender.dataset),
      file: file)
  }

  /// Whether two paths lead to one file.
  static func areSame(_ left: String, _ right: String) -> Bool { resolved(left) == resolved(right) }

  /// The path without symbolic links, as far as they lead anywhere.
  static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }
}

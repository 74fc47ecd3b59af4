import Foundation

/// Reads and writes the files that stand beside replicas: deltas and JSON texts.
enum PlainFile {
  /// What every SQLite database begins with.
  private static let databaseHeader = Array("SQLite format 3\0".utf8)

  /// The bytes of a file; a single hyphen stands for standard input.
  static func read(_ path: String) throws(Failure) -> [UInt8] {
    if path != "-" { try ReplicaFile.requireFile(path, hint: "Check the path.") }
    return try Failure.naming(path) {
      if path == "-" { return try [UInt8](FileHandle.standardInput.readToEnd() ?? Data()) }
      // Data(contentsOf:) takes no devices.
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      return try [UInt8](handle.readToEnd() ?? Data())
    }
  }

  /// What to call a file in messages.
  static func name(of path: String) -> String { path == "-" ? "standard input" : path }

  /// Writes a file whole or not at all; never over one of the replicas that the command works on, nor over any
  /// other SQLite database.
  ///
  /// A symbolic link stays, and what it leads to is written. A device or a pipe stays too and takes the bytes.
  static func write(_ bytes: [UInt8], to path: String, keeping replicas: [String]) throws(Failure) {
    guard !path.isEmpty else { throw .usage("The path to write to is empty.") }
    guard !replicas.contains(where: { ReplicaFile.areSame($0, path) }) else {
      throw .refused("\(path) is the replica itself and was left as it is. Choose another path to write to.")
    }
    switch target(path) {
    case .folder:
      throw .storage("\(path) is a folder; name a file to write to.")
    case .deadLink:
      throw .storage("\(path) is a symbolic link that leads nowhere; name another path to write to.")
    case .stream:
      try Failure.naming(path) { try pour(bytes, into: path) }
    case .file:
      guard try !isDatabase(path) else {
        throw .refused("\(path) is a SQLite database and was left as it is. Choose another path to write to.")
      }
      try replace(path, with: bytes)
    case .nothing:
      try replace(path, with: bytes)
    }
  }

  /// What a path leads to, symbolic links followed.
  private enum Target {
    /// Nothing yet.
    case nothing
    /// A regular file.
    case file
    /// A folder, or a path that can only be one.
    case folder
    /// A symbolic link to what does not exist.
    case deadLink
    /// A device, a pipe, or whatever else is no file that could be replaced.
    case stream
  }

  private static func target(_ path: String) -> Target {
    guard !path.utf8.elementsEqual("/dev/stdout".utf8), !path.utf8.elementsEqual("/dev/stderr".utf8) else {
      return .stream
    }
    guard FileManager.default.fileExists(atPath: path) else {
      if path.utf8.last == UInt8(ascii: "/") { return .folder }
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil ? .nothing : .deadLink
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: ReplicaFile.resolved(path))
    switch attributes?[.type] as? FileAttributeType {
    case .typeRegular?: return .file
    case .typeDirectory?: return .folder
    default: return .stream
    }
  }

  private static func isDatabase(_ path: String) throws(Failure) -> Bool {
    try Failure.naming(path) {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      return try handle.read(upToCount: databaseHeader.count).map { databaseHeader == Array($0) } ?? false
    }
  }

  private static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
    try Failure.naming(path) {
      try Data(bytes).write(to: URL(fileURLWithPath: ReplicaFile.resolved(path)), options: .atomic)
    }
  }

  /// Writes into what is there; the standard streams are those of the process, wherever they have got to.
  private static func pour(_ bytes: [UInt8], into path: String) throws {
    switch path {
    case "/dev/stdout": try FileHandle.standardOutput.write(contentsOf: Data(bytes))
    case "/dev/stderr": try FileHandle.standardError.write(contentsOf: Data(bytes))
    default:
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      try handle.write(contentsOf: Data(bytes))
    }
  }
}

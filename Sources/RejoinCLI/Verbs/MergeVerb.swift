import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin merge`.
  static let merge = Verb(
    name: "merge",
    syntax: Syntax("FILE", "IN"),
    abstract: "Merges a file that rejoin delta wrote, whole or not at all; IN may be - for standard input.",
    keys: Form.mergeKeys
  ) { arguments in
    let (file, input) = (arguments.text("FILE"), arguments.text("IN"))
    let replica = try ReplicaFile.open(arguments)
    let bytes = try PlainFile.read(input)
    let inputName = PlainFile.name(of: input)
    let delta = try Failure.naming(inputName) { try Delta(decoding: bytes) }
    let report = try Failure.naming(file) { try replica.merge(delta) }
    return Report(
      text: Form.lines(report, from: inputName, to: file).joined(separator: "\n"), json: Form.merge(report))
  }
}

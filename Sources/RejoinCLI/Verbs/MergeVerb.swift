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
    let report = try Failure.naming(file) {
      try declareFields(of: delta, in: replica)
      return try replica.merge(delta)
    }
    return Report(
      text: Form.lines(report, from: inputName, to: file).joined(separator: "\n"), json: Form.merge(report))
  }
  /// Makes the plain fields that a delta carries columns, so that any program can read what is merged.
  ///
  /// A delta that the replica refuses leaves no columns behind.
  private static func declareFields(of delta: Delta, in replica: Replica) throws {
    let version = replica.version
    guard version.covers(delta.from), version.isEmpty || replica.dataset == delta.dataset,
      delta.through[replica.id] <= version[replica.id]
    else { return }
    for (collection, fields) in plainFields(of: delta).sorted(by: { $0.key < $1.key }) {
      let known = Set(try replica.declaredFields(of: collection))
      let missing = fields.subtracting(known).sorted()
      if !missing.isEmpty { try replica.declare(missing, in: collection) }
    }
  }

  /// The names of the fields of which a delta carries the plain value.
  ///
  /// - Complexity: O(n) in the number of registers; the values are not read.
  private static func plainFields(of delta: Delta) -> [Collection: Set<FieldName>] {
    var fields: [Collection: Set<FieldName>] = [:]
    for part in delta.records {
      for register in part.fragment.registers {
        let address = part.fragment.address(of: register)
        guard address.kind == 0, !address.field.text.isEmpty else { continue }
        fields[part.key.collection, default: []].insert(address.field)
      }
    }
    return fields
  }
}

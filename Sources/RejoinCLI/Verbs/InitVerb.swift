import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin init`.
  static let initialize = Verb(
    name: "init",
    syntax: Syntax(
      "FILE",
      options: [
        Syntax.Option(
          name: "--dataset", value: "NAME",
          meaning: "Derive the data set from this name, so that replicas made apart may meet; without it a "
            + "random one, which an empty replica exchanges for that of its first peer.")
      ]),
    abstract: "Makes a new, empty replica in a file that does not exist yet.",
    keys: [
      Key("file", "the path, as given"), Key("replica", "the replica's id, 16 hexadecimal digits"),
      Key("dataset", "the data set's id, a UUID"),
    ]
  ) { arguments in
    let file = arguments.text("FILE")
    let name = try arguments.name("--dataset")
    if let name, name.isEmpty {
      throw Failure.usage("NAME is empty; name the data set or leave --dataset out.")
    }
    let replica = try ReplicaFile.create(
      file, dataset: name.map { DatasetID(name: $0) }, arguments: arguments)
    return Report(
      text: "Made replica \(replica.id) of data set \(replica.dataset) in \(file).",
      json: [
        JSON.Member("file", .string(file)), JSON.Member("replica", .string(replica.id.description)),
        JSON.Member("dataset", .string(replica.dataset.description)),
      ])
  }
}

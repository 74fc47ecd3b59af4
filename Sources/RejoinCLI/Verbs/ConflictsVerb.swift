import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin conflicts`.
  static let conflicts = Verb(
    name: "conflicts",
    syntax: Syntax(
      "FILE",
      options: [
        Syntax.Option(
          name: "--all",
          meaning: "List also what was resolved, and what is what shows now, so that nothing is lost."),
        Syntax.Option(
          name: "--resolve", value: "N",
          meaning: "Resolve the conflict with this number, as it is listed, or with this id; needs --keep."),
        Syntax.Option(
          name: "--keep", value: "winner|loser", meaning: "What shall show: what shows now, or what gave way."
        ),
      ]),
    abstract: "Lists the writes that gave way to others and are not what shows now, or resolves one.",
    keys: [
      Key(
        "conflicts",
        "a list of {number, conflict, collection, id, field, loser, winner, observed, shown, resolved, open}; of one "
          + "element when it was resolved; field is null where the loser is a life, loser is {value or life, stamp}, "
          + "winner {kind, stamp} with the kind register, life or parent, resolved null or {kept, stamp}"),
      Key("open", "how many somebody should look at"), Key("held", "how many the ledger holds"),
    ]
  ) { arguments in
    let choice = try arguments.choice
    let replica = try ReplicaFile.open(arguments)
    guard let name = arguments.option("--resolve"), let choice else {
      let all = try replica.numberedConflicts()
      let listed = arguments.has("--all") ? all : all.filter(\.entry.isOpen)
      return Report(
        text: listed.map { Form.text($0.entry, number: $0.number) }.joined(separator: "\n"),
        json: Form.conflicts(listed, all: all))
    }
    let found = try replica.numberedConflicts().first { number, entry in
      Int(name) == number || EntryID(name) == entry.id
    }
    guard let found else {
      throw Failure.refused("There is no conflict \(name); rejoin conflicts lists them with their numbers.")
    }
    try replica.resolve(found.entry, keeping: choice)
    let all = try replica.numberedConflicts()
    let resolved = all.filter { $0.entry.id == found.entry.id }
    return Report(
      text: resolved.map { Form.text($0.entry, number: $0.number) }.joined(separator: "\n"),
      json: Form.conflicts(resolved, all: all))
  }
}

extension Arguments {
  /// What `--keep` says; nil without `--resolve`.
  fileprivate var choice: LedgerEntry.Choice? {
    get throws(Failure) {
      switch (option("--resolve"), option("--keep")) {
      case (nil, nil): return nil
      case (nil, _): throw .usage("--keep needs --resolve N.")
      case (_, "winner"): return .winner
      case (_, "loser"): return .loser
      case (_, nil): throw .usage("--resolve needs --keep winner or --keep loser.")
      case (_, let other?): throw .usage("--keep takes winner or loser, not \"\(other)\".")
      }
    }
  }
}

extension Replica {
  /// All that the ledger holds, numbered from 1 in its order.
  fileprivate func numberedConflicts() throws -> [(number: Int, entry: LedgerEntry)] {
    Array(zip(1..., try conflicts(includingSettled: true)))
  }
}

extension Form {
  fileprivate static func conflicts(
    _ listed: [(number: Int, entry: LedgerEntry)], all: [(number: Int, entry: LedgerEntry)]
  ) -> [JSON.Member] {
    [
      JSON.Member("conflicts", .array(listed.map { form($0.entry, number: $0.number) })),
      JSON.Member("open", .int(Int64(all.count(where: \.entry.isOpen)))),
      JSON.Member("held", .int(Int64(all.count))),
    ]
  }

  private static func form(_ entry: LedgerEntry, number: Int) -> JSON {
    let resolved: JSON =
      entry.resolution.map {
        ["kept": .string($0.kept), "stamp": .string($0.timestamp.description)]
      } ?? .null
    return [
      "number": .int(Int64(number)), "conflict": .string(entry.id.description),
      "collection": .string(entry.record.collection.text), "id": .string(entry.record.id.description),
      "field": entry.field.map { .string($0.text) } ?? .null, "loser": side(entry.loser),
      "winner": [
        "kind": .string(entry.winner.kind), "stamp": .string(entry.winner.timestamp.description),
      ],
      "observed": .string(entry.observed.description), "shown": .bool(entry.isShown), "resolved": resolved,
      "open": .bool(entry.isOpen),
    ]
  }

  fileprivate static func text(_ entry: LedgerEntry, number: Int) -> String {
    let field = entry.field.map { " \(name($0.text))" } ?? ""
    let state =
      entry.resolution.map { ", resolved: kept the \($0.kept)" } ?? (entry.isShown ? ", shows now" : "")
    return "\(number): \(name(entry.record.collection.text)) \(entry.record.id)\(field): "
      + "\(text(entry.loser)) gave way to \(text(entry.winner))\(state)"
  }

  private static func text(_ winner: LedgerEntry.Winner) -> String {
    switch winner {
    case .register: "the write \(winner.timestamp)"
    case .life(let life): "\(life.isAlive ? "life" : "deletion") \(life.count) (\(winner.timestamp))"
    case .parent(let parent, _):
      "the deletion of \(name(parent.collection.text)) \(parent.id) (\(winner.timestamp))"
    }
  }
}

extension LedgerEntry.Winner {
  fileprivate var kind: String {
    switch self {
    case .register: "register"
    case .life: "life"
    case .parent: "parent"
    }
  }
}

import Rejoin
import RejoinCore

extension Verb {
  /// The verb `rejoin explain`.
  static let explain = Verb(
    name: "explain",
    syntax: Syntax("FILE", "COLLECTION", "ID", "FIELD"),
    abstract: "Says why a field of a record shows what it shows: its registers, their stamps and slots.",
    keys: [
      Key("collection", "the collection"), Key("id", "the record's id"), Key("field", "the field"),
      Key("reason", "the reason in a sentence"),
      Key("life", "{count, stamp} of the record's last birth or deletion; null in its first life"),
      Key("slots", "a list of {value, stamp, life, rank, future, shown, label}; label is null or own text"),
      Key(
        "contributions",
        "what a counter or set is made of: a list of {session, element, value, taken_back, stamp, rank, counted}"
      ),
    ]
  ) { arguments in
    let collection = try arguments.collection
    let id = try arguments.id
    let field = try Arguments.field(arguments.text("FIELD"))
    let explanation = try ReplicaFile.open(arguments).explain(field, of: id, in: collection)
    let lines =
      explanation.slots.map { slot in
        let stamp = slot.register.precedence.timestamp
        return "  \(slot.isShown ? "shown" : "hidden"): \(slot.register.value.json.text()) at \(stamp), "
          + "life \(slot.register.precedence.life)\(slot.isFuture ? ", in the future slot" : "")"
          + (slot.label.map { ", \(Form.quoted($0))" } ?? "")
      }
      + explanation.contributions.map { part in
        let what = part.element.map { "element \($0.json.text())" } ?? part.register.value.json.text()
        let isRemoved = part.element != nil && part.register.value == .null
        return
          "  \(part.isCounted ? "counted" : "not counted"): \(what)\(isRemoved ? " removed" : part.isTakenBack ? " taken back" : "") at "
          + "\(part.register.precedence.timestamp), by opening \(Form.session(part.session))"
      }
    return Report(
      text: (["\(explanation)"] + lines).joined(separator: "\n"),
      json: [
        JSON.Member("collection", .string(collection.text)), JSON.Member("id", .string(id.description)),
        JSON.Member("field", .string(field.text)), JSON.Member("reason", .string(explanation.description)),
        JSON.Member("life", explanation.life.map(form) ?? .null),
        JSON.Member("slots", .array(explanation.slots.map(form))),
        JSON.Member("contributions", .array(explanation.contributions.map(form))),
      ])
  }

  private static func form(_ life: Life) -> JSON {
    ["count": .int(Int64(clamping: life.count)), "stamp": .string(life.timestamp.description)]
  }

  private static func form(_ part: Explanation.Contribution) -> JSON {
    let precedence = part.register.precedence
    return [
      "session": .string(Form.session(part.session)), "element": part.element?.json ?? .null,
      "value": part.register.value.json,
      "taken_back": .bool(part.isTakenBack), "stamp": .string(precedence.timestamp.description),
      "rank": .int(Int64(clamping: precedence.rank)),
      "counted": .bool(part.isCounted),
    ]
  }

  private static func form(_ slot: Explanation.Slot) -> JSON {
    let precedence = slot.register.precedence
    return [
      "value": slot.register.value.json, "stamp": .string(precedence.timestamp.description),
      "life": .int(Int64(clamping: precedence.life)), "rank": .int(Int64(clamping: precedence.rank)),
      "future": .bool(slot.isFuture), "shown": .bool(slot.isShown),
      "label": slot.label.map { .string($0) } ?? .null,
    ]
  }
}

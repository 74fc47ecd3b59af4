package import RejoinCore

/// How edits lie in registers and entries.
extension Edit {
  /// What the models call an address: the field, and the kind unless it is a plain value.
  package static func name(of address: RegisterAddress) -> String {
    address.kind == 0 ? address.field.text : "\(address.field)#\(address.kind)"
  }

  /// Fields by address.
  package static func addressed(_ fields: [String: Value]) -> [RegisterAddress: Value] {
    Dictionary(
      uniqueKeysWithValues: fields.map { name, value in
        (name == unknownField ? unknownAddress : RegisterAddress(FieldName(name)), value)
      })
  }

  /// Where the field that nobody knows lives.
  package static let unknownAddress = RegisterAddress("a", kind: 7, element: [1])
}

extension LogEntry {
  /// What an entry that ``Edit/append(_:)`` made says.
  package var text: String? {
    if case .string(let text) = values["text"] { text } else { nil }
  }
}

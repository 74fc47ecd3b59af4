import RejoinCore

/// An object of which not everything can be read: each member is read by itself, so that what cannot be read hides
/// nothing beside it.
///
/// Servers hold what other systems put into them: half of a surrogate pair, a number of more than 64 bits, a name twice
/// in one object. One such thing in one row must not keep a device from all the others.
struct LooseObject {
  private let bytes: [UInt8]
  private let members: [(name: Range<Int>, value: Range<Int>)]

  /// Looks for the members; nil where the bytes are no object by the grammar of JSON.
  init?(_ bytes: [UInt8]) {
    guard let members = JSONSkimmer.members(of: bytes) else { return nil }
    self.bytes = bytes
    self.members = members
  }

  /// Where the value of a member stands; nil where there is none.
  ///
  /// - Throws: ``ForeignAnswer`` where there are several.
  private func range(_ name: String) throws(ForeignAnswer) -> Range<Int>? {
    let found = members.filter { bytes[$0.name].dropFirst().dropLast().elementsEqual(name.utf8) }
    guard found.count < 2 else { throw ForeignAnswer() }
    return found.first?.value
  }

  /// The value of a member; nil where there is none.
  ///
  /// - Throws: ``ForeignAnswer`` where it cannot be read, or there are several.
  func value(_ name: String) throws(ForeignAnswer) -> JSON? {
    guard let range = try range(name) else { return nil }
    guard let json = try? JSON(parsing: Array(bytes[range])) else { throw ForeignAnswer() }
    return json
  }

  /// The texts of a member's elements.
  ///
  /// - Throws: ``ForeignAnswer`` where it is no array, or there are none or several.
  func elements(_ name: String) throws(ForeignAnswer) -> [[UInt8]] {
    guard let range = try range(name), let elements = JSONSkimmer.elements(of: bytes, in: range) else {
      throw ForeignAnswer()
    }
    return elements.map { Array(bytes[$0]) }
  }

  /// The object as it would be without a member; nil where something else of it cannot be read either.
  func json(without name: String) -> JSON? {
    var text: [UInt8] = [UInt8(ascii: "{")]
    for member in members where !bytes[member.name].dropFirst().dropLast().elementsEqual(name.utf8) {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      text += bytes[member.name] + [UInt8(ascii: ":")] + bytes[member.value]
    }
    return try? JSON(parsing: text + [UInt8(ascii: "}")])
  }
}

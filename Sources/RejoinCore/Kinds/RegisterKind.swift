/// The kinds of registers that this version knows, by the number that stands in their addresses.
///
/// Every kind joins by one rule, so the numbers matter only to whoever shows or edits a field.
public enum RegisterKind {
  /// The value of a field.
  public static let plain: UInt8 = 0

  /// A tally: how much one session has added to a counter.
  public static let tally: UInt8 = 1

  /// An element of a set, as one session has added it.
  public static let element: UInt8 = 2

  // 3 was another kind in earlier drafts of the format, and stays unused.

  /// How much of a session's tally a reset has taken back.
  public static let reset: UInt8 = 4

  /// An authority: which replica alone writes a field of a collection's records.
  public static let authority: UInt8 = 5

  /// The id under which a plain server knows a record; the element names the server.
  public static let serverID: UInt8 = 6
}

/// What one session wrote into a counter or set: a part of the address that no other session writes.
///
/// A session is one opening of a replica. Its id is drawn anew each time and never stored for later use, so that a
/// copy of a file, or one that was set back, can never go on under it.
package struct SessionMark: Hashable, Sendable {
  /// The session.
  package var session: UInt64

  /// The canonical bytes of the element of a set; empty for a counter.
  package var element: [UInt8]

  /// Makes a mark.
  package init(session: UInt64, element: [UInt8] = []) {
    self.session = session
    self.element = element
  }

  /// The element of an address: u64 session, canonical bytes of the element.
  package var bytes: [UInt8] {
    var writer = ByteWriter(reserving: element.count + 8)
    writer.write(bigEndian: session)
    writer.write(element)
    return writer.bytes
  }

  /// Reads the element of an address; nil when it is none of a tally or of a set's element that this version knows.
  ///
  /// Whoever reads may meet anything here, since the element of an address is not looked into when it is merged.
  package init?(_ address: RegisterAddress) {
    let kinds = [RegisterKind.tally, RegisterKind.element, RegisterKind.reset]
    guard kinds.contains(address.kind) else { return nil }
    do {
      var reader = ByteReader(address.element)
      session = try reader.readBigEndian()
      element = Array(address.element[reader.position...])
      if address.kind == RegisterKind.element {
        guard
          case let value = try Value(
            canonicalBytes: address.element, in: reader.position..<address.element.count),
          !value.isUnknown
        else { return nil }
      } else if !reader.isAtEnd {
        return nil
      }
    } catch {
      return nil
    }
  }
}

extension RegisterAddress {
  /// The tally of a session.
  package static func tally(of field: FieldName, _ mark: SessionMark) -> RegisterAddress {
    RegisterAddress(field, kind: RegisterKind.tally, element: mark.bytes)
  }

  /// What was taken back of the tally of a session.
  package static func reset(of field: FieldName, _ mark: SessionMark) -> RegisterAddress {
    RegisterAddress(field, kind: RegisterKind.reset, element: mark.bytes)
  }

  /// An element of a set as a session added it.
  package static func element(of field: FieldName, _ mark: SessionMark) -> RegisterAddress {
    RegisterAddress(field, kind: RegisterKind.element, element: mark.bytes)
  }
}

extension Value {
  /// Whether it is of a kind that only newer versions know.
  package var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

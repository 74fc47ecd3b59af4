package import RejoinCore

/// What a replica holds of a record, as the adapter of a plain server looks at it.
package struct ServedRecord: Sendable {
  /// What is stored.
  let packed: PackedRecord
  /// The record's entry in the tombstone set; nil while it is in its first life.
  package let life: Life?
  /// The plain values in force in the record's latest life, also beneath its deletion; waiting ones only once their
  /// time has come or where there is nothing else.
  package private(set) var fields: [FieldName: LWWRegister] = [:]
  /// The fields that hold tallies of a counter or elements of a set; their plain values are not among ``fields``, since
  /// counters and sets do not travel.
  package private(set) var counted: Set<FieldName> = []
  /// How many registers the record has, of every life and kind.
  package let registerCount: Int
  /// The registers of the latest life and their timestamps, of every kind.
  package let timestamps: [Timestamp]

  /// The ids under which plain servers know the record, by the server's name, where they are others than the record's.
  package private(set) var serverIDs: [[UInt8]: String] = [:]
  /// Whether something of it was learnt from a plain server, here or elsewhere; what was taken back, and left nothing,
  /// does not count.
  package var isServed: Bool {
    if life?.timestamp.replica.isProxy == true { return true }
    return packed.registers.contains { register in
      register.precedence.timestamp.replica.isProxy && packed.value(of: register) != .null
    }
  }

  /// Whether the record is alive.
  package var isAlive: Bool { life?.isAlive ?? true }

  init(_ record: PackedRecord, latestAcceptable: HybridTime) {
    packed = record
    life = record.life
    timestamps = record.timestamps
    let latest = record.life?.latest ?? 1
    let registers = record.registers
    registerCount = registers.count
    for register in registers where register.precedence.outlivesLives {
      let address = record.address(of: register)
      switch address.kind {
      case RegisterKind.serverID:
        if case .string(let id) = record.value(of: register) { serverIDs[address.element] = id }
      case RegisterKind.tally, RegisterKind.element, RegisterKind.reset: counted.insert(address.field)
      default: break
      }
    }
    for register in registers
    where register.precedence.life == latest
      && RegisterAddress.isPlain(record.bytes, register.address) && !record.holdsUnknownKind(register)
    {
      let field = record.address(of: register).field
      guard field != RegisterAddress.existence.field, !counted.contains(field) else { continue }
      let isWaiting = register.isFuture && register.precedence.timestamp.time > latestAcceptable
      if isWaiting, fields[field] != nil { continue }
      fields[field] = record.register(register)
    }
  }
}

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
    for register in registers where register.precedence.outlivesLives {
      let address = record.address(of: register)
      guard address.kind == RegisterKind.serverID, case .string(let id) = record.value(of: register) else {
        continue
      }
      serverIDs[address.element] = id
    }
    for register in registers
    where register.precedence.life == latest
      && RegisterAddress.isPlain(record.bytes, register.address) && !record.holdsUnknownKind(register)
    {
      let field = record.address(of: register).field
      guard field != RegisterAddress.existence.field else { continue }
      let isWaiting = register.isFuture && register.precedence.timestamp.time > latestAcceptable
      if isWaiting, fields[field] != nil { continue }
      fields[field] = record.register(register)
    }
  }
}

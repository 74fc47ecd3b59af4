extension PackedHeader {
  /// Registers are written while their record is alive, and travel with its entry in the tombstone set: so their
  /// life is odd and not beyond the entry's.
  ///
  /// Life 0 is for other kinds than plain values.
  func mayHold(_ precedence: Precedence, isPlain: Bool) -> Bool {
    PackedHeader.mayHold(
      life: precedence.life, rank: precedence.rank, isPlain: isPlain, upTo: life?.count ?? 1)
  }

  /// As above, of a record whose lives have come to `count`.
  static func mayHold(life: UInt64, rank: UInt64, isPlain: Bool, upTo count: UInt64) -> Bool {
    life == 0 ? !isPlain && rank <= Limits.rankOutsideLives : life % 2 == 1 && life <= count
  }
}

extension PackedRecord {
  /// Takes bytes from outside, such as a row of a file, after checking every rule of the packed form.
  ///
  /// Besides the bytes it needs no more memory than they take.
  package init(validating bytes: [UInt8]) throws(CodingError) {
    var reader = ByteReader(bytes)
    let header = try PackedRecord.readHeader(from: &reader)
    for (earlier, later) in zip(header.timestamps, header.timestamps.dropFirst()) where earlier >= later {
      throw .malformed("timestamps of a record", offset: 0)
    }
    if let life = header.life, !(2...Limits.lives ~= life.count) {
      throw .malformed("life of a record", offset: 0)
    }
    var last: PackedRegister?
    var hasFuture = false
    while !reader.isAtEnd {
      let offset = reader.position
      let register = try PackedRecord.readRegister(from: &reader, timestamps: header.timestamps)
      var addressReader = ByteReader(bytes, in: register.address)
      _ = try RegisterAddress.skipChecked(in: &addressReader)
      try Value.validate(bytes, in: register.value)
      if let last {
        let order = RecordMerger.compare(bytes, last.address, bytes, register.address)
        guard order < 0 || order == 0 && last.precedence < register.precedence else {
          throw .malformed("order of registers", offset: offset)
        }
      }
      let isPlain = RegisterAddress.isPlain(bytes, register.address)
      guard header.mayHold(register.precedence, isPlain: isPlain),
        !(register.isFuture && register.precedence.outlivesLives)
      else {
        throw .malformed("life of a register", offset: offset)
      }
      hasFuture = hasFuture || register.isFuture
      last = register
    }
    guard hasFuture == header.hasFuture else { throw .malformed("record", offset: 0) }
    self.init(trusted: bytes)
  }

  /// Traps unless the packed form keeps its rules; for tests and debug builds.
  package func checkInvariants() {
    do {
      _ = try PackedRecord(validating: bytes)
    } catch {
      preconditionFailure("a packed record broke its own rules: \(error)")
    }
    let (header, registers) = parts
    let used = Set(registers.map(\.precedence.timestamp) + [header.life?.timestamp].compactMap(\.self))
    precondition(
      used == Set(header.timestamps), "the timestamps of a record are those of its registers and life")
    if let life = header.life {
      precondition(
        registers.allSatisfy { $0.precedence.isKept(fromLife: life.latest) }, "ended lives are dropped")
    }
  }
}

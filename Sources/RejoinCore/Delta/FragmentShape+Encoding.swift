extension FragmentShape {
  /// Appends the skeleton to the definitions.
  func write(to writer: inout ByteWriter) {
    writer.write(count: timestampCount << 1 | (life == nil ? 0 : 1))
    if let life {
      writer.write(varint: life.count)
      writer.write(count: life.timestamp)
    }
    writer.write(count: registers.count)
    for register in registers {
      writer.write(count: register.address)
      writer.write(
        count: register.timestamp << 2 | (register.rank == 0 ? 0 : 2) | (register.life == 1 ? 0 : 1))
      if register.life != 1 { writer.write(varint: register.life) }
      if register.rank != 0 { writer.write(varint: register.rank) }
    }
  }
}

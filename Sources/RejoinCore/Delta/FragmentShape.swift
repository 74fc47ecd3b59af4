/// The skeleton of a fragment: everything but timestamps and values.
///
/// Records of one kind of write share one.
struct FragmentShape: Hashable {
  /// One register of the skeleton.
  struct Register: Hashable {
    /// Which address, as an index into the delta's dictionary.
    var address: Int
    /// Which of the fragment's timestamps.
    var timestamp: Int
    /// The life in which it was written.
    var life: UInt64
    /// The rank of its writer.
    var rank: UInt64
  }

  /// The count of the record's life and the index of its timestamp.
  var life: Life?

  /// How many timestamps the fragment has.
  var timestampCount: Int

  /// The registers, by address.
  var registers: [Register]

  /// The entry of the tombstone set in a skeleton.
  struct Life: Hashable {
    /// The count.
    var count: UInt64
    /// The index of its timestamp.
    var timestamp: Int
  }
}

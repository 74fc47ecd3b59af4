/// Every bound of the library, in one place, each with its reason.
///
/// A bound exists so that bytes from outside can never make a replica allocate, recurse or loop without end.
/// What is refused on the way in is refused on the way out too: nothing can be written that could not be read.
public enum Limits {
  /// Largest name of a collection, field or log, in UTF-8 bytes: names stand in every record's packed form.
  public static let nameBytes = 255

  /// Deepest nesting of arrays and maps in a value: decoding recurses, and threads of Swift tasks are small.
  public static let valueDepth = 64

  /// Largest value, in canonical bytes (16 MiB): a value is one register and travels whole.
  public static let valueBytes = 16 << 20

  /// Largest entry of a log as it travels, in canonical bytes: an entry of the conflict ledger holds a value of the
  /// largest size, with the names of its place.
  public static let entryBytes = valueBytes + 4_096

  /// How many entries of the conflict ledger are kept of each collection unless the application says otherwise: an
  /// import of the same thousand records on a few devices fits, and a listing of them takes a moment.
  public static let conflictsPerCollection = 10_000

  /// Largest number of registers of one record: a record is rewritten whole by each write to it.
  ///
  /// Local writes keep to it: none adds registers to a record that has so many, but for what an insert under the id of
  /// a deleted record takes back of its counters. Merges do not: two replicas that each kept to it may exceed it
  /// together, and must still be able to merge.
  public static let registersPerRecord = 4_096

  /// Largest number of elements of an array or map value; also bounded by `valueBytes`.
  public static let valueElements = 1 << 20

  /// Largest count of a record's births and deletions: more than any hand brings about, so that counting on from
  /// what a delta brings can never overflow.
  public static let lives: UInt64 = 1 << 30

  /// Largest rank of a register that outlives lives: more than anybody counts to, so that counting on from what a
  /// delta brings can never overflow.
  public static let rankOutsideLives: UInt64 = 1 << 62

  /// Largest element of a set field, in canonical bytes: it is part of an address, and must fit into one beside the
  /// longest field name.
  public static let elementBytes = 224

  /// Largest encoded delta, in bytes (1 GiB): what is larger travels as several.
  public static let deltaBytes = 1 << 30

  /// Furthest that a timestamp may lie ahead of the wall clock before its register waits, in milliseconds
  /// (5 minutes): phones that set their clock from the network are off by seconds, not minutes.
  public static let maxDriftMilliseconds: Int64 = 5 * 60 * 1_000

  /// Latest wall time a clock accepts, in milliseconds: half of what 48 bits hold (the year 6429), so that
  /// counting on from there can never overflow.
  public static let wallMilliseconds: Int64 = (1 << 47) - 1

  /// Largest number of collections and logs of a file: each is a table, and peers can name as many as they like.
  public static let collections = 4_096

  /// Number of collections and logs of a file from which on the rows of plain servers begin no more: the other half
  /// stays for what the application and its peers write.
  public static let collectionsByServers = collections / 2

  /// Longest id that a plain server may give a row, in UTF-8 bytes: it travels with the record, and stands in keys.
  public static let serverIDBytes = 1_024

  /// Largest version of a plain server's row: a row of the largest number there is would hide all later ones.
  public static let serverVersion: Int64 = (1 << 62) - 1

  /// Longest reason of a plain server's that is kept, in UTF-8 bytes: the rest is cut off.
  public static let reasonBytes = 4_096

  /// Largest row of a plain server that is kept as it came because it could not be understood, in bytes of its text
  /// (1 MiB): of a longer one the beginning is kept, so that somebody can see what it was.
  public static let quarantinedRowBytes = 1 << 20

  /// Largest number of columns of a collection's table; further fields live in the packed form.
  public static let columnsPerCollection = 500

  /// Longest part of a value that an index holds, in bytes: most values differ before, and the others are told apart by
  /// reading their records.
  public static let indexKeyBytes = 64

  /// Largest JSON text, in bytes (256 MiB): as a tree it takes up to 48 times as much memory.
  public static let jsonBytes = 256 << 20

  /// Deepest nesting that the JSON reader follows: values may be 64 deep and stand inside tagged objects.
  public static let jsonDepth = 160
}

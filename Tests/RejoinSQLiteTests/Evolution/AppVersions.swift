import Rejoin

/// The record type of one application in its versions 1, 2 and 3, all of which are in use at once.
enum TaskVersion {
  /// The first version.
  struct One: Record, Equatable {
    static let collection: Collection = "tasks"
    var id: RecordID
    var title: String
    var size: String
    var legacy: String?
  }

  /// Adds an optional property and one with a default, and calls the title a name.
  struct Two: Record, Equatable {
    static let collection: Collection = "tasks"
    static let defaults = [FieldDefault(CodingKeys.priority, 1)]
    static let indexes = [Index(CodingKeys.priority), Index(CodingKeys.name)]
    var id: RecordID
    var name: String
    var size: String
    var legacy: String?
    var tag: String?
    var priority: Int

    enum CodingKeys: String, CodingKey {
      case id, size, legacy, tag, priority
      case name = "title"
    }
  }

  /// Knows no legacy property any more, and a size that is a number.
  struct Three: Record, Equatable {
    static let collection: Collection = "tasks"
    static let defaults = [FieldDefault(CodingKeys.priority, 1), FieldDefault(CodingKeys.size, 0)]
    static let converters = [
      FieldConverter(CodingKeys.size) { old in
        if case .string(let text) = old { Int64(text).map { .int($0) } ?? .null } else { old }
      }
    ]
    static let indexes = [Index(CodingKeys.size), Index(CodingKeys.name)]
    var id: RecordID
    var name: String
    var tag: String?
    var priority: Int
    var size: Int

    enum CodingKeys: String, CodingKey {
      case id, size, tag, priority
      case name = "title"
    }
  }

  /// A collection that only version 3 knows.
  struct Label: Record, Equatable {
    static let collection: Collection = "labels"
    var id: RecordID
    var text: String
  }
}

extension TaskVersion.Two {
  /// Version 2 goes on writing text for the size; it reads a number of version 3's as text.
  static let converters = [
    FieldConverter(CodingKeys.size) { value in
      if case .int(let number) = value { .string("\(number)") } else { value }
    }
  ]
}

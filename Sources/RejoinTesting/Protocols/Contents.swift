/// What a node of the comparison holds, or sends: elements whose join is the larger of each.
protocol Contents: Equatable, Sendable {
  /// Nothing.
  init(of plan: Plan)

  /// What an update writes.
  init(update: Int, of plan: Plan)

  /// Whether there is no element.
  var isEmpty: Bool { get }

  /// How many elements there are.
  var count: Int { get }

  /// Joins other contents.
  mutating func merge(_ other: Self)

  /// Joins other contents, and says which of them were news.
  mutating func take(_ other: Self) -> Self

  /// How large the library's encoding of the elements is.
  func encodedSize(of plan: Plan) -> EncodedSize
}

extension Contents {
  /// All that is ever written.
  static func everything(of plan: Plan) -> Self {
    plan.updates.indices.reduce(into: Self(of: plan)) { $0.merge(Self(update: $1, of: plan)) }
  }
}

/// A grow-only set of updates: a bit each.
struct ElementSet: Contents {
  private var words: [UInt64]

  init(of plan: Plan) {
    words = Array(repeating: 0, count: (plan.elementCount + 63) / 64)
  }

  init(update: Int, of plan: Plan) {
    self.init(of: plan)
    words[update / 64] = 1 << UInt64(update % 64)
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The elements, ascending.
  var elements: [Int] {
    var elements: [Int] = []
    elements.reserveCapacity(count)
    for index in words.indices {
      var rest = words[index]
      while rest != 0 {
        elements.append(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return elements
  }

  mutating func merge(_ other: ElementSet) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  mutating func take(_ other: ElementSet) -> ElementSet {
    var news = other
    for index in words.indices { news.words[index] &= ~words[index] }
    merge(other)
    return news
  }
}

/// A map of keys: of each the update that wrote it last, counted from 1; 0 where none did.
struct ElementMap: Contents {
  private(set) var writers: [Int32]

  init(of plan: Plan) {
    writers = Array(repeating: 0, count: plan.elementCount)
  }

  init(update: Int, of plan: Plan) {
    self.init(of: plan)
    for key in plan.elements[update] { writers[key] = Int32(update + 1) }
  }

  var isEmpty: Bool { writers.allSatisfy { $0 == 0 } }

  var count: Int { writers.reduce(0) { $1 == 0 ? $0 : $0 + 1 } }

  mutating func merge(_ other: ElementMap) {
    for key in writers.indices where other.writers[key] > writers[key] { writers[key] = other.writers[key] }
  }

  mutating func take(_ other: ElementMap) -> ElementMap {
    var news = other
    for key in writers.indices {
      if other.writers[key] > writers[key] {
        writers[key] = other.writers[key]
      } else {
        news.writers[key] = 0
      }
    }
    return news
  }
}

/// A set as the encoder of records sees it.
protocol SetField {
  /// The elements.
  var shownElements: [any Encodable] { get }
  /// The elements that were inserted since it was read, and are still there.
  var insertedElements: [any Encodable] { get }
}

/// A set whose elements replicas add and remove apart from each other: an addition wins over a removal by somebody who
/// did not know of it.
///
/// As a property of a ``Record`` it is empty where nobody has added anything.
///
/// ```swift
/// try replica.update(Page.self, id) { $0.labels.insert("new") }
/// ```
///
/// An update writes what was added and removed; inserting an element that is there writes it again, so that it wins
/// over a removal elsewhere. Elements are told apart by the bytes of what they encode as, which take at most
/// `Limits.elementBytes`; those that are equal in Swift and differ in bytes, such as two forms of one text, read as one,
/// and are removed together. Each is a register of its own, and stays one when it is removed: a set is for labels and
/// ids, not for thousands of texts. Within a list, a map or a nested type it is a list like any other.
/// Source: Shapiro et al., *Conflict-free Replicated Data Types* (SSS 2011), OR-Set; the ranks of elements are causal
/// lengths: Yu, Rostad, *A Low-Cost Set CRDT Based on Causal Lengths* (PaPoC 2020).
public struct AddWinsSet<Element: Codable & Hashable & Sendable>: Sendable {
  private var elements: Set<Element>
  private var inserted: Set<Element> = []

  /// Elements that were read and equal one that was read before, but not by its bytes.
  ///
  /// Texts with accents have several forms. They come and go with the one that they equal.
  private var alike: [Element] = []

  /// Makes a set of elements.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Set(elements)
  }

  /// Adds an element and says whether it was not there.
  ///
  /// One that was there is written again all the same.
  @discardableResult
  public mutating func insert(_ element: Element) -> Bool {
    let (isNew, member) = elements.insert(element)
    inserted.insert(member)
    return isNew
  }

  /// Removes an element; says whether it was there.
  @discardableResult
  public mutating func remove(_ element: Element) -> Bool {
    inserted.remove(element)
    alike.removeAll { $0 == element }
    return elements.remove(element) != nil
  }

  /// Whether an element is there.
  public func contains(_ element: Element) -> Bool { elements.contains(element) }

  /// The number of elements.
  public var count: Int { elements.count }
}

extension AddWinsSet: Swift.Collection {
  /// The position of the first element, in no particular order.
  public var startIndex: Set<Element>.Index { elements.startIndex }

  /// The position after the last element.
  public var endIndex: Set<Element>.Index { elements.endIndex }

  /// The element at a position.
  public subscript(position: Set<Element>.Index) -> Element { elements[position] }

  /// The next position.
  public func index(after position: Set<Element>.Index) -> Set<Element>.Index {
    elements.index(after: position)
  }
}

extension AddWinsSet: Hashable {
  /// Whether both hold the same elements.
  public static func == (left: AddWinsSet, right: AddWinsSet) -> Bool { left.elements == right.elements }

  /// Hashes the elements.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension AddWinsSet: FieldOfOwnKind {
  /// Makes an empty set.
  public init() { self.init([]) }
}

extension AddWinsSet: ExpressibleByArrayLiteral {
  /// Makes a set of elements.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension AddWinsSet: SetField {
  var shownElements: [any Encodable] { Array(elements) + alike }
  var insertedElements: [any Encodable] { Array(inserted) }
}

extension AddWinsSet: Codable {
  /// Reads a list.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    self.init([])
    while !container.isAtEnd {
      let element = try container.decode(Element.self)
      if !elements.insert(element).inserted { alike.append(element) }
    }
  }

  /// Writes a list, in no particular order.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in Array(elements) + alike { try container.encode(element) }
  }
}

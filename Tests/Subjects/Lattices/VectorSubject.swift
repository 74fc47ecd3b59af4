import RejoinCore
package import RejoinTesting

/// A version vector that covers writes, as a type that merges states.
package struct VectorSubject: StateBased {
  /// A write.
  package struct Write: Sendable, CustomStringConvertible {
    package var description: String { "write" }
  }

  private let number: Int
  private let count: Int
  private var vector = VersionVector()

  package init(replica number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  private static func id(_ replica: Int) -> ReplicaID { ReplicaID(rawValue: UInt64(replica) + 1) }

  package func operation(_ choices: inout Choices) -> Write { Write() }

  package mutating func apply(_ write: Write, clockMilliseconds: Int64) {
    vector.advance(Self.id(number), to: vector[Self.id(number)].successor)
  }

  package mutating func merge(_ other: VectorSubject) { vector.merge(other.vector) }

  /// How many writes of each replica are covered.
  package var observation: [Int] { (0..<count).map { Int(vector[Self.id($0)].rawValue) } }

  package static func objection(to shown: [Int], after past: Past<Write>) -> String? {
    let right = shown.indices.map { replica in past.events.count { $0.replica == replica } }
    return shown == right ? nil : "it should cover \(right)"
  }
}

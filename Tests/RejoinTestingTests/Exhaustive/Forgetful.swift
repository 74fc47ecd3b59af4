import RejoinTesting

/// A grow-only set that is only in memory until it is saved, and then perhaps still is.
struct Forgetful<Flaw: ForgetfulFlaw>: StateBased, Hashable {
  private var elements: Set<Int> = []
  private var saved: Set<Int> = []

  init(replica number: Int, of count: Int) {}

  func operation(_ choices: inout Choices) -> Int { 1 + choices.number(below: 2) }

  mutating func apply(_ operation: Int, clockMilliseconds: Int64) { elements.insert(operation) }

  mutating func merge(_ other: Forgetful) { elements.formUnion(other.elements) }

  static var savesAtOnce: Bool { false }

  mutating func save() { if Flaw.saves { saved = elements } }

  mutating func crash() { elements = saved }

  var observation: Set<Int> { elements }

  static func objection(to observation: Set<Int>, after past: Past<Int>) -> String? {
    observation == Set(past.operations) ? nil : "\(Set(past.operations)) were added"
  }
}

protocol ForgetfulFlaw: Sendable {
  static var saves: Bool { get }
}

extension Sound: ForgetfulFlaw {
  static var saves: Bool { true }
}

enum NeverSaves: ForgetfulFlaw {
  static var saves: Bool { false }
}

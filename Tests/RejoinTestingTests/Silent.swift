import RejoinTesting

/// A type that promises nothing and has nothing to say.
struct Silent: ReplicatedType {
  init(replica number: Int, of count: Int) {}
  func operation(_ choices: inout Choices) -> Int { choices.number(below: 4) }
  mutating func apply(_ operation: Int, clockMilliseconds: Int64) {}
  mutating func message(to receiver: Int) -> Int? { nil }
  mutating func merge(_ message: Int, from sender: Int, clockMilliseconds: Int64) -> Bool { true }
  var observation: Int { 0 }
}

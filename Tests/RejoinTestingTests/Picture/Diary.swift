import RejoinTesting

/// Notes that everybody collects; with a fault, so that its histories fail: it forgets what was not saved, and then
/// refuses what it takes for old news.
///
/// Every kind of step happens to it, and every fate of a message.
struct Diary: ReplicatedType {
  enum Operation: Sendable {
    case write(String)
  }

  struct Message: Sendable {
    var number: Int
    var notes: [String]
  }

  private struct State: Sendable {
    var notes: [String] = []
    var sent = 0
    var received: [Int]
  }

  /// Signs that mean something in XML, none at all, and a word too long for any line.
  static let awkwardNote = "<&\"'> \u{1}\u{7F} 👩‍👩‍👧‍👦 語 " + String(repeating: "x", count: 200)

  private var state: State
  private var saved: State

  init(replica number: Int, of count: Int) {
    state = State(received: Array(repeating: 0, count: count))
    saved = state
  }

  func operation(_ choices: inout Choices) -> Operation {
    .write(choices.element(of: ["a", "milk", "see the dentist on Monday", Self.awkwardNote]))
  }

  mutating func apply(_ operation: Operation, clockMilliseconds: Int64) {
    guard case .write(let note) = operation else { return }
    add([note])
  }

  mutating func message(to receiver: Int) -> Message? {
    guard !state.notes.isEmpty else { return nil }
    state.sent += 1
    return Message(number: state.sent, notes: state.notes)
  }

  mutating func merge(_ message: Message, from sender: Int, clockMilliseconds: Int64) -> Bool {
    guard message.number >= state.received[sender] else { return false }
    state.received[sender] = message.number
    add(message.notes)
    return true
  }

  private mutating func add(_ notes: [String]) {
    for note in notes where !state.notes.contains(note) { state.notes.append(note) }
    state.notes.sort()
  }

  var observation: [String] { state.notes }

  static var savesAtOnce: Bool { false }

  mutating func save() { saved = state }

  mutating func crash() { state = saved }
}

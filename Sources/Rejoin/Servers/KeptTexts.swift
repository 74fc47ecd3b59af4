/// What one transaction has read and written of what the device keeps: nothing is asked of the store twice.
final class KeptTexts {
  private struct Entry {
    var text: String?
    var isWritten: Bool
  }

  private let store: any Store
  private var entries: [LocalKey: Entry] = [:]
  private var misses: [String: Int] = [:]

  /// How many keys of a space are not there before it is asked whether anything is.
  private static let patience = 4

  init(_ store: any Store) {
    self.store = store
  }

  /// What is kept under a key.
  ///
  /// Where one key after the other is not there, as in a first load, the whole space is looked at, once.
  func text(_ key: LocalKey) throws -> String? {
    if let entry = entries[key] { return entry.text }
    let missed = misses[key.space, default: 0]
    guard missed <= KeptTexts.patience else { return nil }
    let text = try store.local(key)
    entries[key] = Entry(text: text, isWritten: false)
    if text == nil, missed >= 0 {
      misses[key.space] = try missed < KeptTexts.patience ? missed + 1 : look(key.space)
    }
    return text
  }

  /// A number of misses that says that a space is empty, or that it is not.
  private func look(_ space: String) throws -> Int {
    var isEmpty = true
    try store.forEachLocal(in: space, from: []) { _, _ in
      isEmpty = false
      return false
    }
    return isEmpty ? KeptTexts.patience + 1 : -1
  }

  /// Keeps a text under a key; nil takes it away.
  func keep(_ text: String?, under key: LocalKey) {
    entries[key] = Entry(text: text, isWritten: true)
  }

  /// What was written, in order of the keys.
  var written: [LocalWrite] {
    entries.filter(\.value.isWritten).map { LocalWrite($0.key, $0.value.text) }.sorted { $0.key < $1.key }
  }
}

/// A sorted list in chunks: insertion and removal cost O(log n) and a chunk, iteration starts anywhere.
struct SortedChunks<Element: Comparable> {
  private static var capacity: Int { 256 }
  private var chunks: [[Element]] = []

  /// How many elements were looked at, for tests that hold cost against what is returned.
  private(set) var probes = 0

  /// Whether there is no element.
  var isEmpty: Bool { chunks.isEmpty }

  /// Adds an element; one that is there already stays as it is.
  mutating func insert(_ element: Element) {
    guard !chunks.isEmpty else {
      chunks.append([element])
      return
    }
    var (chunk, index) = position(of: element)
    if chunk == chunks.count {
      chunk -= 1
      index = chunks[chunk].count
    } else if index < chunks[chunk].count, chunks[chunk][index] == element {
      return
    }
    chunks[chunk].insert(element, at: index)
    guard chunks[chunk].count > Self.capacity else { return }
    // A chunk that overflows at its end, as the last one does when times ascend, stays full.
    let cut = index == Self.capacity ? Self.capacity : Self.capacity / 2
    let tail = Array(chunks[chunk][cut...])
    chunks[chunk].removeSubrange(cut...)
    chunks.insert(tail, at: chunk + 1)
  }

  /// Removes an element, and says whether it was there.
  @discardableResult
  mutating func remove(_ element: Element) -> Bool {
    let (chunk, index) = position(of: element)
    guard chunk < chunks.count, chunks[chunk][index] == element else { return false }
    chunks[chunk].remove(at: index)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    return true
  }

  /// Calls `body` for the elements from `start` on, in order, until it returns false.
  mutating func forEach(from start: Element, _ body: (Element) throws -> Bool) rethrows {
    var (chunk, index) = position(of: start)
    while chunk < chunks.count {
      while index < chunks[chunk].count {
        probes += 1
        guard try body(chunks[chunk][index]) else { return }
        index += 1
      }
      chunk += 1
      index = 0
    }
  }

  /// Calls `body` for the elements before `bound`, the last first, until it returns false; nil is no bound.
  mutating func forEachReversed(before bound: Element?, _ body: (Element) throws -> Bool) rethrows {
    var (chunk, index) = bound.map { position(of: $0) } ?? (chunks.count, 0)
    while true {
      if index == 0 {
        guard chunk > 0 else { return }
        chunk -= 1
        index = chunks[chunk].count
      }
      index -= 1
      probes += 1
      guard try body(chunks[chunk][index]) else { return }
    }
  }

  /// The last element before `bound`.
  mutating func last(before bound: Element) -> Element? {
    let (chunk, index) = position(of: bound)
    probes += 1
    if chunk < chunks.count, index > 0 { return chunks[chunk][index - 1] }
    return chunk > 0 ? chunks[chunk - 1].last : nil
  }

  /// Where the first element stands that is not before `element`; past the last chunk when there is none.
  private func position(of element: Element) -> (chunk: Int, index: Int) {
    let chunk = Self.firstIndex(in: chunks.count) { chunks[$0].last.map { $0 < element } ?? false }
    guard chunk < chunks.count else { return (chunk, 0) }
    return (chunk, Self.firstIndex(in: chunks[chunk].count) { chunks[chunk][$0] < element })
  }

  /// The first index for which `isBefore` is false.
  private static func firstIndex(in count: Int, isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

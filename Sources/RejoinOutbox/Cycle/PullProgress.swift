import RejoinCore

/// Whether a pull moves on, page after page, or a server keeps it busy for ever.
struct PullProgress {
  private var circles = CircleDetector()
  private var pagesWithoutMove = 0
  private var pagesWithoutRows = 0

  /// How many pages in a row may bring no row, although each says that there is more.
  static let emptyPages = 1_000

  /// Notes a page behind which there is more.
  ///
  /// - Returns: false where the pull does not move.
  mutating func note(_ page: PullPage, hasMoved: Bool) -> Bool {
    pagesWithoutMove = hasMoved ? 0 : pagesWithoutMove + 1
    pagesWithoutRows = page.rows.isEmpty && page.unreadable.isEmpty ? pagesWithoutRows + 1 : 0
    guard pagesWithoutMove < 2, pagesWithoutRows < PullProgress.emptyPages else { return false }
    guard hasMoved, let cursor = page.cursor else { return true }
    return !circles.closes(at: cursor)
  }
}

/// Whether something that goes from place to place goes in circles.
///
/// It may come to any number of places, so they are not all remembered. One is, for twice as many steps as the one before
/// it: a circle of any length is found after a few times its length.
///
/// Source: R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20 (1980), section 2.
struct CircleDetector {
  /// A place that was seen, and by which what goes in circles comes again.
  private var landmark: String?
  private var steps = 0
  private var reach = 1

  /// Notes a place; true where it was seen before.
  mutating func closes(at place: String) -> Bool {
    if let landmark, landmark.hasSameBytes(as: place) { return true }
    steps += 1
    if steps == reach { (landmark, steps, reach) = (place, 0, reach * 2) }
    return false
  }
}

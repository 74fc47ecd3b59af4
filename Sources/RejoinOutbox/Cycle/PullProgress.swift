import RejoinCore

/// Whether a pull moves on, page after page, or a server keeps it busy for ever.
struct PullProgress {
  /// A cursor that was seen, and at which a pull that goes in circles comes by again.
  private var landmark: String?
  private var pagesSinceLandmark = 0
  private var reach = 1
  private var pagesWithoutMove = 0
  private var pagesWithoutRows = 0

  /// How many pages in a row may bring no row, although each says that there is more.
  static let emptyPages = 1_000

  /// Notes a page behind which there is more.
  ///
  /// A load may have any number of pages, so their cursors are not all remembered. One is, for twice as many pages as the
  /// one before it: a circle of any length is found after a few times its length.
  ///
  /// Source: R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20 (1980), section 2.
  ///
  /// - Returns: false where the pull does not move.
  mutating func note(_ page: PullPage, hasMoved: Bool) -> Bool {
    pagesWithoutMove = hasMoved ? 0 : pagesWithoutMove + 1
    pagesWithoutRows = page.rows.isEmpty && page.unreadable.isEmpty ? pagesWithoutRows + 1 : 0
    guard pagesWithoutMove < 2, pagesWithoutRows < PullProgress.emptyPages else { return false }
    guard hasMoved, let cursor = page.cursor else { return true }
    if let landmark, landmark.hasSameBytes(as: cursor) { return false }
    pagesSinceLandmark += 1
    if pagesSinceLandmark == reach {
      (landmark, pagesSinceLandmark, reach) = (cursor, 0, reach * 2)
    }
    return true
  }
}

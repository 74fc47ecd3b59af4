/// A place in a picture: x grows to the right, y downwards.
struct Point: Hashable, Sendable {
  var x: Int
  var y: Int
}

/// An upright rectangle of a picture.
struct Box: Hashable, Sendable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// A square around a point.
  init(around centre: Point, reach: Int) {
    self.init(x: centre.x - reach, y: centre.y - reach, width: 2 * reach, height: 2 * reach)
  }

  var right: Int { x + width }
  var bottom: Int { y + height }
  var centre: Point { Point(x: x + width / 2, y: y + height / 2) }

  /// Whether they share more than an edge.
  func overlaps(_ other: Box) -> Bool {
    x < other.right && other.x < right && y < other.bottom && other.y < bottom
  }

  func contains(_ other: Box) -> Bool {
    x <= other.x && y <= other.y && other.right <= right && other.bottom <= bottom
  }

  /// The same with some room on every side.
  func grown(by room: Int) -> Box {
    Box(x: x - room, y: y - room, width: width + 2 * room, height: height + 2 * room)
  }

  /// Whether a straight line between two points passes through.
  ///
  /// Source: Liang, Barsky, *A New Concept and Method for Line Clipping* (1984).
  func isCrossed(from start: Point, to end: Point) -> Bool {
    var (entry, exit) = (0.0, 1.0)
    let (across, down) = (Double(end.x - start.x), Double(end.y - start.y))
    for (slope, room) in [
      (-across, start.x - x), (across, right - start.x), (-down, start.y - y), (down, bottom - start.y),
    ] {
      if slope == 0 {
        if room <= 0 { return false }
      } else if slope < 0 {
        entry = max(entry, Double(room) / slope)
      } else {
        exit = min(exit, Double(room) / slope)
      }
    }
    return entry < exit
  }
}

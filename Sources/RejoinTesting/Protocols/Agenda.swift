/// What happens when, to the millisecond; what falls on one happens in the order in which it was planned.
struct Agenda<Item> {
  private var slots: [[Item]]
  private var next = 0

  /// The time of what was taken last.
  private(set) var now = 0

  /// Starts at zero; what is planned for the horizon or later never happens.
  init(horizon: Int) {
    slots = Array(repeating: [], count: horizon)
  }

  /// Plans something for a later time.
  mutating func plan(_ item: Item, at time: Int) {
    if time < slots.count { slots[time].append(item) }
  }

  /// What comes next; nil when nothing does.
  mutating func take() -> Item? {
    while now < slots.count {
      if next < slots[now].count {
        defer { next += 1 }
        return slots[now][next]
      }
      slots[now] = []
      now += 1
      next = 0
    }
    return nil
  }
}

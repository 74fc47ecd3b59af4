import Rejoin

/// Accounts in order, with marks of possible doubles: a change costs what it changes, but for the place in the array.
struct AccountList {
  /// The accounts, in order.
  private(set) var views: [AccountView] = []

  private var places: [RecordID: AccountView.Place] = [:]
  private var idsByEmail: [String: Set<RecordID>] = [:]
  private var accountsByTracker: [RecordID: RecordID] = [:]

  /// The accounts of which the outbox still has something.
  private(set) var dirty: Set<RecordID> = []

  /// How many of the accounts were deleted, or hold a tracker that was.
  private var deletedCount = 0

  private var cooling: Set<RecordID> = []
  private var now: UnixTime?

  /// An empty list.
  init() {}

  /// A list of these accounts.
  init(_ views: [AccountView]) {
    self.views = views.sorted { $0.place < $1.place }
    for view in views { learn(view) }
    for index in self.views.indices { self.views[index].isPossibleDouble = isDouble(self.views[index]) }
  }

  /// Whether anything that was deleted is among them.
  var holdsDeleted: Bool { deletedCount > 0 }

  /// The account under which a tracker stands.
  func account(ofTracker id: RecordID) -> RecordID? { accountsByTracker[id] }

  /// Shows an account, in place of what was shown of it; nil shows it no longer.
  mutating func put(_ view: AccountView?, for id: RecordID) {
    if let old = places[id], let index = index(of: old) { forget(views.remove(at: index)) }
    guard let view else { return }
    learn(view)
    views.insert(view, at: position(of: view.place))
    mark(view.place.email)
  }

  /// Derives the cooldowns that go on; all of them where the clock has stepped back.
  mutating func move(to time: UnixTime) {
    let hasSteppedBack = now.map { time < $0 } ?? false
    now = time
    for id in hasSteppedBack ? Set(places.keys) : cooling {
      guard let place = places[id], let index = index(of: place) else { continue }
      views[index].move(to: time)
      if views[index].holdsCooling { cooling.insert(id) } else { cooling.remove(id) }
    }
  }

  // MARK: What is known of the accounts

  private mutating func learn(_ view: AccountView) {
    places[view.id] = view.place
    if !view.offline.tombstoned { idsByEmail[view.place.email, default: []].insert(view.id) }
    for tracker in view.trackers { accountsByTracker[tracker.id] = view.id }
    if view.holdsDirty { dirty.insert(view.id) }
    if view.holdsCooling { cooling.insert(view.id) }
    if view.holdsDeleted { deletedCount += 1 }
  }

  private mutating func forget(_ view: AccountView) {
    places[view.id] = nil
    idsByEmail[view.place.email]?.remove(view.id)
    if idsByEmail[view.place.email]?.isEmpty ?? false { idsByEmail[view.place.email] = nil }
    for tracker in view.trackers where accountsByTracker[tracker.id] == view.id {
      accountsByTracker[tracker.id] = nil
    }
    if view.holdsDeleted { deletedCount -= 1 }
    dirty.remove(view.id)
    cooling.remove(view.id)
    mark(view.place.email)
  }

  private func isDouble(_ view: AccountView) -> Bool {
    let ids = idsByEmail[view.place.email] ?? []
    return ids.count > 1 && ids.contains(view.id)
  }

  /// Marks the accounts with an e-mail address anew.
  private mutating func mark(_ email: String) {
    for id in idsByEmail[email] ?? [] {
      guard let place = places[id], let index = index(of: place) else { continue }
      views[index].isPossibleDouble = isDouble(views[index])
    }
  }

  private func index(of place: AccountView.Place) -> Int? {
    let index = position(of: place)
    return index < views.count && views[index].place == place ? index : nil
  }

  /// The first position whose account does not come before this place.
  private func position(of place: AccountView.Place) -> Int {
    var (low, high) = (0, views.count)
    while low < high {
      let middle = (low + high) / 2
      if views[middle].place < place { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

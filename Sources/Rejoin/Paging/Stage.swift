import RejoinCore

/// What is kept of one channel's pages, beside the pages.
struct StageHead {
  var sender: PageSender
  /// What the sender covered when it cut the last page.
  var through: VersionVector
  var position: PagePosition
  var pages: Int
}

/// The pages that are kept of a channel until its last one comes: in the replica's file, and in no delta.
struct Stage {
  private let store: any Store
  private let channel: String
  /// What is to be kept or taken away.
  private(set) var writes: [LocalWrite] = []

  init(_ store: any Store, _ channel: String) {
    self.store = store
    self.channel = channel
  }

  private static let heads = "stage"

  /// The channels of which something is kept.
  static func channels(in store: any Store) throws -> [String] {
    var channels: [String] = []
    try store.forEachLocal(in: heads, from: []) { key, _ in
      channels.append(String(decoding: key, as: UTF8.self))
      return true
    }
    return channels
  }

  private var headKey: LocalKey { LocalKey(Stage.heads, Array(channel.utf8)) }

  private var space: String { "stage \(channel)" }

  /// What is kept beside the pages.
  ///
  /// What cannot be read is as good as nothing: the pages are asked for again.
  func head() throws -> StageHead? {
    guard let text = try store.local(headKey) else { return nil }
    return (try? JSON(parsing: text)).flatMap(StageHead.init)
  }

  /// The pages in their order; nil where they are not all there.
  func pages(_ head: StageHead?) throws -> [Delta]? {
    var pages: [Delta] = []
    try store.forEachLocal(in: space, from: []) { _, text in
      guard let bytes = Base64.decode(text), let page = try? Delta(decoding: bytes) else { return false }
      pages.append(page)
      return true
    }
    return pages.count == head?.pages ?? 0 ? pages : nil
  }

  /// Keeps a page.
  mutating func keep(_ page: Delta, with head: StageHead) {
    let key = (0..<8).map { UInt8(truncatingIfNeeded: head.pages >> (56 - 8 * $0)) }
    writes.append(LocalWrite(LocalKey(space, key), Base64.encode(page.encoded())))
    writes.append(LocalWrite(headKey, String(decoding: head.json.bytes(), as: UTF8.self)))
  }

  /// Takes everything away.
  mutating func clear() throws {
    guard try store.local(headKey) != nil else { return }
    writes.append(LocalWrite(headKey, nil))
    try store.forEachLocal(in: space, from: []) { key, _ in
      writes.append(LocalWrite(LocalKey(space, key), nil))
      return true
    }
  }
}

extension StageHead {
  fileprivate var json: JSON {
    [
      "sender": .string(sender.replica.description), "incarnation": .string(sender.incarnation),
      "through": through.json, "vector": position.vector.json,
      "place": position.place.map { .string($0.description) } ?? .null, "pages": .int(Int64(pages)),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard case .string(let sender)? = json["sender"], let replica = ReplicaID(sender),
      case .string(let incarnation)? = json["incarnation"],
      let through = json["through"].flatMap(VersionVector.init(json:)),
      let vector = json["vector"].flatMap(VersionVector.init(json:)), let place = json["place"],
      case .int(let pages)? = json["pages"]
    else { return nil }
    self.sender = PageSender(replica: replica, incarnation: incarnation)
    self.through = through
    position = PagePosition(vector: vector)
    if case .string(let text) = place { position.place = DeltaPlace(text) }
    self.pages = Int(pages)
  }
}

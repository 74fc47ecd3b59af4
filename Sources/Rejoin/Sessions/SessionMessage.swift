import RejoinCore

/// What two replicas say to each other in a session; see <doc:PeerSessions>.
enum SessionMessage: Equatable {
  case hello(Hello)
  /// A part of what the other one lacks.
  case page(DeltaPage)
  /// The other one lacks nothing.
  case nothing
  /// Where the other one's pages go on.
  case position(PagePosition)
  /// The other one's pages are merged.
  case merged
  /// Why nothing more will be said.
  case refusal(SessionError.Refusal)

  /// Who speaks, and how far it has come.
  struct Hello: Equatable {
    var formats: ClosedRange<Int>
    var dataset: DatasetID
    var sender: PageSender
    var wallMilliseconds: Int64
    var vector: VersionVector
    /// Where pages go on that are kept of earlier sessions, by who sent them.
    var kept: [Kept] = []
  }

  struct Kept: Equatable {
    var sender: ReplicaID
    var position: PagePosition
  }
}

// MARK: Writing

extension SessionMessage {
  /// The first bytes of a session.
  private static let mark: [UInt8] = Array("RJS".utf8)

  /// The message with its length before it.
  var frame: [UInt8] {
    var body = ByteWriter()
    switch self {
    case .hello(let hello):
      body.write(0 as UInt8)
      body.write(SessionMessage.mark)
      body.write(count: hello.formats.lowerBound)
      body.write(count: hello.formats.upperBound)
      body.write(hello.dataset.bytes)
      body.write(bigEndian: hello.sender.replica.rawValue)
      body.write(counted: Array(hello.sender.incarnation.utf8))
      body.write(zigzag: hello.wallMilliseconds)
      body.write(hello.vector)
      body.write(count: hello.kept.count)
      for kept in hello.kept {
        body.write(bigEndian: kept.sender.rawValue)
        body.write(kept.position)
      }
    case .page(let page):
      body.write(1 as UInt8)
      body.write(page.start)
      body.write(page.end)
      body.write(page.delta.encoded())
    case .nothing: body.write(2 as UInt8)
    case .position(let position):
      body.write(3 as UInt8)
      body.write(position)
    case .merged: body.write(4 as UInt8)
    case .refusal(let refusal):
      body.write(5 as UInt8)
      body.write(refusal.rawValue)
    }
    var frame = ByteWriter(reserving: body.bytes.count + 5)
    frame.write(counted: body.bytes)
    return frame.bytes
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ vector: VersionVector) {
    write(count: vector.entries.count)
    for entry in vector.entries {
      write(bigEndian: entry.replica.rawValue)
      write(bigEndian: entry.time.rawValue)
    }
  }

  fileprivate mutating func write(_ place: DeltaPlace?) {
    guard let place else { return write(0 as UInt8) }
    write(place.isWhole ? 1 : 2 as UInt8)
    write(bigEndian: place.timestamp.time.rawValue)
    write(bigEndian: place.timestamp.replica.rawValue)
    if let rest = place.rest { write(counted: Array(rest.utf8)) }
  }

  fileprivate mutating func write(_ position: PagePosition) {
    write(position.vector)
    write(position.place)
  }
}

// MARK: Reading

extension SessionMessage {
  /// Longest message, in bytes: a page is a fraction of it, unless one value is large.
  static let frameBytes = 64 << 20

  /// The next message in what has arrived, and where it ends; nil while it is not there completely.
  static func next(
    in bytes: [UInt8], from start: Int
  ) throws(CodingError) -> (message: SessionMessage, end: Int)? {
    var reader = ByteReader(bytes, in: start..<bytes.count)
    // A length takes five bytes at most.
    let length: UInt64
    do {
      length = try reader.readVarint()
    } catch {
      if bytes.count - start < 5 { return nil }
      throw error
    }
    guard length <= UInt64(frameBytes) else { throw .overLimit("bytes of a message", limit: frameBytes) }
    guard reader.remaining >= Int(length) else { return nil }
    let body = reader.position..<reader.position + Int(length)
    return (try SessionMessage(ByteReader(bytes, in: body), of: bytes), body.upperBound)
  }

  private init(_ body: ByteReader, of bytes: [UInt8]) throws(CodingError) {
    var reader = body
    switch try reader.readByte() {
    case 0: self = .hello(try reader.readHello(mark: SessionMessage.mark))
    case 1:
      let (start, end) = (try reader.readPlace(), try reader.readPlace())
      let delta = try Delta(decoding: Array(bytes[reader.position..<reader.position + reader.remaining]))
      self = .page(DeltaPage(delta, after: start, end: end))
      return
    case 2: self = .nothing
    case 3: self = .position(try reader.readPosition())
    case 4: self = .merged
    case 5:
      guard let refusal = SessionError.Refusal(rawValue: try reader.readByte()) else {
        throw .malformed("refusal", offset: reader.position)
      }
      self = .refusal(refusal)
    default: throw .malformed("message", offset: reader.position)
    }
    guard reader.isAtEnd else { throw .malformed("message", offset: reader.position) }
  }
}

extension ByteReader {
  fileprivate mutating func readHello(mark: [UInt8]) throws(CodingError) -> SessionMessage.Hello {
    for expected in mark where try readByte() != expected { throw .notADelta }
    let lowest = try readIndex(into: "formats", count: 1 << 16)
    let highest = try readIndex(into: "formats", count: 1 << 16)
    guard lowest <= highest else { throw .malformed("formats", offset: position) }
    let dataset = DatasetID(high: try readBigEndian(), low: try readBigEndian())
    let replica = ReplicaID(rawValue: try readBigEndian())
    let incarnation = try readString(of: "incarnation")
    let wall = try readZigzag()
    var hello = SessionMessage.Hello(
      formats: lowest...highest, dataset: dataset,
      sender: PageSender(replica: replica, incarnation: incarnation), wallMilliseconds: wall,
      vector: try readVector())
    for _ in 0..<(try readCount(of: "kept pages", eachAtLeast: 10)) {
      hello.kept.append(
        SessionMessage.Kept(
          sender: ReplicaID(rawValue: try readBigEndian()), position: try readPosition()))
    }
    return hello
  }

  private mutating func readString(of what: String) throws(CodingError) -> String {
    let range = try readCountedRange(of: what)
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw .malformed(what, offset: range.lowerBound)
    }
    return text
  }

  private mutating func readVector() throws(CodingError) -> VersionVector {
    var pairs: [(ReplicaID, HybridTime)] = []
    let count = try readCount(of: "vector", eachAtLeast: 16)
    pairs.reserveCapacity(count)
    for _ in 0..<count {
      let replica = ReplicaID(rawValue: try readBigEndian())
      let time = HybridTime(rawValue: try readBigEndian())
      guard pairs.last.map({ $0.0 < replica }) ?? true, time > .zero,
        time.milliseconds <= Limits.wallMilliseconds
      else { throw .malformed("vector", offset: position) }
      pairs.append((replica, time))
    }
    return VersionVector(pairs)
  }

  fileprivate mutating func readPlace() throws(CodingError) -> DeltaPlace? {
    let head = try readByte()
    guard head > 0 else { return nil }
    guard head <= 2 else { throw .malformed("place", offset: position) }
    let time = HybridTime(rawValue: try readBigEndian())
    let timestamp = Timestamp(time: time, replica: ReplicaID(rawValue: try readBigEndian()))
    return DeltaPlace(timestamp, rest: head == 2 ? try readString(of: "place") : nil)
  }

  fileprivate mutating func readPosition() throws(CodingError) -> PagePosition {
    PagePosition(vector: try readVector(), place: try readPlace())
  }
}

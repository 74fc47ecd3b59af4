public import RejoinCore

/// Names an entry of an outbox: the idempotency key, made on the device and the same on every retry.
public struct OperationID: Identifier {
  /// Bytes 0 to 7.
  public let high: UInt64
  /// Bytes 8 to 15.
  public let low: UInt64

  /// Makes an id of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// What an entry of an outbox is about.
public enum Subject: Hashable, Sendable {
  /// A record.
  case record(RecordKey)
  /// An entry of a log.
  case entry(EntryKey)

  /// The collection's or the log's name.
  public var entity: String {
    switch self {
    case .record(let key): key.collection.text
    case .entry(let key): key.log.text
    }
  }

  /// The id that the device gave it, as text.
  public var id: String {
    switch self {
    case .record(let key): key.id.description
    case .entry(let key): key.id.description
    }
  }
}

/// What a device tells a server of one record or log entry: frozen before it is first sent, and never changed.
public struct OutboxEntry: Hashable, Sendable, Identifiable {
  /// What the server shall do.
  public enum Operation: String, CaseIterable, Sendable {
    /// Make the record.
    case insert
    /// Change some of its fields.
    case update
    /// Delete it.
    case delete
  }

  /// The idempotency key.
  public var id: OperationID
  /// What it is about.
  public var subject: Subject
  /// The id under which the server knows it, where that is another than the device's.
  public var serverID: String?
  /// What the server shall do.
  public var operation: Operation
  /// The changed fields in the plain form of the wire, each once, by name; a cleared one is null.
  public var payload: [JSON.Member]
  /// The server's version that the user saw; 0 where there is none.
  public var baseVersion: Int64
  /// When the last write that the entry holds was made, in milliseconds since the Unix epoch; for display.
  public var createdAt: Int64
  /// What the user meant: the label of the last write that the entry holds.
  public var intent: String?
  /// The fields that refer to records which the server knows under ids of its own, with those ids; only in dialects whose
  /// references are the server's.
  public var references: [String: String] = [:]
  /// How often the server has put it off before.
  public var attempts = 0
  /// The first entry of the request in which it was first sent, where that is one thing to the server.
  var leader: OperationID?
  /// How far the replica's own writes are part of the entry.
  var through: Frontier

  init(
    id: OperationID, subject: Subject, serverID: String? = nil, operation: Operation, payload: [JSON.Member],
    baseVersion: Int64, createdAt: Int64, intent: String? = nil, through: Frontier
  ) {
    self.id = id
    self.subject = subject
    self.serverID = serverID
    self.operation = operation
    self.payload = payload
    self.baseVersion = baseVersion
    self.createdAt = createdAt
    self.intent = intent
    self.through = through
  }

  /// Makes an entry for those who test a dialect.
  package init(
    id: OperationID, subject: Subject, serverID: String?, operation: Operation, payload: [JSON.Member],
    baseVersion: Int64, createdAt: Int64, intent: String?
  ) {
    self.init(
      id: id, subject: subject, serverID: serverID, operation: operation, payload: payload,
      baseVersion: baseVersion, createdAt: createdAt, intent: intent, through: Frontier())
  }

  /// The id that goes over the wire.
  public var entityID: String { serverID ?? subject.id }

  /// Whether it makes a record anew that the server has deleted.
  public var restores: Bool { operation == .insert && baseVersion > 0 }

  /// The payload with references as the server knows them.
  public var wirePayload: [JSON.Member] {
    guard !references.isEmpty else { return payload }
    return payload.map { member in
      references[member.name].map { JSON.Member(member.name, .string($0)) } ?? member
    }
  }
}

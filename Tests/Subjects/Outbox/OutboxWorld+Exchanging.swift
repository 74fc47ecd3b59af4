import Rejoin
import RejoinCore
import RejoinOutbox

/// Requests and answers, and what the history learns from them.
extension OutboxWorld {
  /// One request of a device's exchange, or the taking in of an answer that may never have come.
  mutating func exchange(at number: Int) throws {
    let fault = ModelServer.Fault.random(using: &generator)
    var cycle = devices[number].cycle ?? devices[number].outbox.cycle()
    let inFlight = devices[number].cycle == nil ? nil : devices[number].inFlight
    devices[number].inFlight = nil
    if devices[number].cycle == nil { devices[number].isPulling = false }
    devices[number].cycle = nil
    if let inFlight { return try hear(inFlight.response, to: inFlight.request, in: &cycle, at: number) }
    guard let request = try next(of: &cycle, at: number) else { return }
    // The process dies before it has sent what it has frozen.
    guard below(20) != 0 else { return trace.append("\(number) dies before it sends") }
    if request.method == "POST" {
      trace.append("\(number) sends \(String(decoding: request.body, as: UTF8.self)) \(fault)")
    }
    var response = answer(request, fault: fault, to: number)
    if request.method == "GET" {
      if server.circles > 0 { server.circles -= 1 }
      if below(12) == 0, let cached = devices[number].cached, cached.path == request.path {
        response = cached.response
      }
      if let response, response.status == 200 { devices[number].cached = (request.path, response) }
    }
    if below(3) == 0 { server.publish() }
    if below(3) == 0 {
      (devices[number].inFlight, devices[number].cycle) = ((request, response), cycle)
      return trace.append("\(number) waits for the answer")
    }
    try hear(response, to: request, in: &cycle, at: number)
  }

  /// The server's answer, as far as the dialect has words for it.
  mutating func answer(_ request: HTTPRequest, fault: ModelServer.Fault, to number: Int) -> HTTPResponse? {
    server.answer(request, fault: fault, from: number).map {
      interpreter.meant($0, to: devices[number].asked, by: server)
    }
  }

  /// Takes in an answer, unless the process dies before.
  private mutating func hear(
    _ response: HTTPResponse?, to request: HTTPRequest, in cycle: inout SyncCycle, at number: Int
  ) throws {
    guard below(10) != 0 else { return trace.append("\(number) dies before it has the answer") }
    do {
      try receive(response, to: request, in: &cycle, at: number)
    } catch OutboxError.pullDoesNotMove {
      trace.append("\(number) finds that the pull does not move")
      return
    }
    devices[number].cycle = cycle
  }

  /// The next request, which is checked; with it the device takes up what was written.
  mutating func next(of cycle: inout SyncCycle, at number: Int) throws -> HTTPRequest? {
    let request = try cycle.next().map { asked in
      devices[number].asked = asked
      return try interpreter.heard(asked, by: server, from: devices[number].outbox.queue())
    }
    if !devices[number].isPulling, request != nil { try takeUpWrites(at: number) }
    devices[number].isPulling = request?.method != "POST"
    if let request, request.method == "POST" { try check(request, from: number) }
    return request
  }

  /// A device knows what was written since the last push or page; dead letters that somebody has answered by a write are
  /// none any more.
  private mutating func takeUpWrites(at number: Int, isCertain: Bool = true) throws {
    // What was written may have given way to another replica's write before the device took it up.
    let listed = Set(try devices[number].outbox.deadLetters().map(\.id.description))
    for (key, letter) in devices[number].letters
    where devices[number].uncut.contains(letter.subject) && !listed.contains(key) {
      devices[number].letters[key] = nil
      devices[number].retired.insert(key)
      devices[number].keys[letter.subject] = nil
    }
    if isCertain { devices[number].uncut = [] }
  }

  /// Gives a device an answer, and learns from it what the device must know now.
  mutating func receive(
    _ response: HTTPResponse?, to request: HTTPRequest, in cycle: inout SyncCycle, at number: Int
  ) throws {
    let (hadStartedAgain, pages) = (cycle.report.pull.hasStartedAgain, cycle.report.pull.pages)
    if let response, request.method == "GET" || response.status != 200 {
      trace.append("\(number) gets \(response.status) \(String(decoding: response.body, as: UTF8.self))")
    } else if let response {
      trace.append("\(number) hears \(String(decoding: response.body, as: UTF8.self))")
    }
    if let response, request.method == "POST" {
      // A status is about the whole request, which in this dialect is one thing.
      let isWhole = tongue == .accounts && response.status != 200
      let entries = Array(entries(of: request).prefix(isWhole ? 1 : .max))
      for (entry, verdict) in zip(entries, Verdict.of(entries, in: response)) {
        try learn(verdict, of: entry, at: number)
      }
    }
    var failure: OutboxError?
    let said = response.flatMap { interpreter.said($0, to: devices[number].asked, by: server) }
    do { try cycle.receive(said) } catch let error as OutboxError { failure = error }
    if let response, cycle.report.pull.pages > pages { learnRows(in: response, at: number) }
    if request.method == "GET" { try takeUpWrites(at: number, isCertain: cycle.report.pull.pages > pages) }
    if cycle.report.pull.hasStartedAgain && !hadStartedAgain {
      trace.append("\(number) starts again")
      devices[number].told = [:]
      devices[number].hasPulled = false
    }
    // Where nothing is on its way any more, the key of before is over, too.
    for subject in devices[number].keys.keys where try state(of: subject, at: number) == .synced {
      devices[number].keys[subject] = nil
    }
    try checkLetters(at: number)
    try checkClaims(at: number)
    if let failure { throw failure }
  }

  func entries(of request: HTTPRequest) -> [JSON] {
    guard let json = try? JSON(parsing: request.body), case .array(let entries)? = json["mutations"] else {
      return []
    }
    return entries
  }

  /// How a record stands; nil for log entries.
  func state(of subject: String, at number: Int) throws -> SyncState? {
    let parts = subject.split(separator: "/").map(String.init)
    guard parts[0] != Self.log.text else { return nil }
    let states = try ids(of: subject).map { id in
      try devices[number].outbox.state(of: id, in: Collection(parts[0]))
    }
    return states.first { $0 != .synced } ?? states.first
  }

  private func text(_ json: JSON?) -> String {
    guard case .string(let text)? = json else { return "" }
    return text
  }

  /// What an entry or a row is about, by the id that devices know it by.
  private func subject(_ json: JSON, _ name: String) -> String {
    let entity = text(json["entity"])
    return "\(entity)/\(server.deviceID(entity, text(json[name])))"
  }

  private mutating func learn(_ verdict: Verdict, of entry: JSON, at number: Int) throws {
    let (subject, key) = (subject(entry, "entity_id"), text(entry["op_id"]))
    guard case .int(let base)? = entry["base_version"] else { return }
    func tell(_ version: Int64?) {
      devices[number].told[subject] = max(devices[number].told[subject] ?? 0, version ?? 0)
    }
    switch verdict {
    case .applied(let version):
      tell(version ?? base + 1)
      server.hasHeard(
        number, of: text(entry["entity"]), text(entry["entity_id"]), version: version ?? base + 1)
      devices[number].keys[subject] = nil
    case .conflict(let version):
      tell(version)
      devices[number].keys[subject] = nil
      devices[number].retired.insert(key)
    case .gone:
      if entry["op"] == "delete" { devices[number].told[subject] = nil }
      devices[number].keys[subject] = nil
    case .rejected where takesBack && entry["payload"]?["b"] != nil:
      try noteDiscard(of: entry, subject, at: number)
    case .rejected(let reason):
      devices[number].letters[key] = Refusal(subject: subject, reason: reason)
    case .putOff, .unknown: break
    }
  }

  private mutating func learnRows(in response: HTTPResponse, at number: Int) {
    guard let json = try? JSON(parsing: response.body), case .array(let rows)? = json["changes"] else {
      return
    }
    devices[number].hasPulled = true
    for row in rows {
      let subject = subject(row, "id")
      if case .int(let version)? = row["version"] {
        devices[number].told[subject] = max(devices[number].told[subject] ?? 0, version)
      }
      if row["entity"] == .string(Self.log.text) { devices[number].keys[subject] = nil }
    }
  }

  // MARK: Checks

  /// A device sends what was written at it and nothing else, and what may have arrived under the key that it had.
  private mutating func check(_ request: HTTPRequest, from number: Int) throws {
    func fail(_ text: String) throws { throw Failure(description: "device \(number) sends \(text)") }
    var before: Set<String> = []
    for entry in entries(of: request) {
      let (subject, key) = (subject(entry, "entity_id"), text(entry["op_id"]))
      let isLog = entry["entity"] == .string(Self.log.text)
      if !isLog, !devices[number].written.contains(subject) {
        try fail("\(subject), which nobody wrote at it")
      }
      if interpreter.saysOperations, entry["op"] == "update", case .object(let payload)? = entry["payload"] {
        for member in payload where !devices[number].written.contains("\(subject)/\(member.name)") {
          try fail("\(member.name) of \(subject), which nobody wrote at it")
        }
      }
      if devices[number].retired.contains(key) { try fail("\(subject) under a key that is over") }
      guard let known = devices[number].keys.updateValue(key, forKey: subject) else {
        try checkFrozen(entry, subject, after: before, from: number)
        before.insert(subject)
        continue
      }
      before.insert(subject)
      if known != key { try fail("\(subject) under a new key before it has an answer") }
    }
  }

  /// An entry that goes out for the first time is based on what the device was told last, and comes after its parent.
  private func checkFrozen(
    _ entry: JSON, _ subject: String, after before: Set<String>, from number: Int
  ) throws {
    let device = devices[number]
    if interpreter.saysVersions, case .int(let base)? = entry["base_version"],
      !subject.hasPrefix(Self.log.text),
      base < device.told[subject] ?? 0
    {
      throw Failure(
        description: "device \(number) bases \(subject) on \(base), but was told \(device.told[subject] ?? 0)"
      )
    }
    guard entry["op"] != "delete", case .string(let note)? = entry["payload"]?["note"],
      let id = RecordID(note), device.made.contains("notes/\(note)"),
      try device.outbox.replica.fields(of: id, in: Self.collection) != nil,
      // Where others have written over all of it, the parent is theirs to send.
      try device.outbox.state(of: id, in: Self.collection) != .synced
    else { return }
    guard server.known.contains("notes/\(note)") || before.contains("notes/\(note)") else {
      throw Failure(description: "device \(number) sends \(subject) before its parent")
    }
  }

  /// What was refused is listed with its reason, and nothing else is.
  mutating func checkLetters(at number: Int) throws {
    let letters = try devices[number].outbox.deadLetters()
    for letter in letters {
      let key = letter.id.description
      if let refusal = devices[number].letters[key] {
        guard refusal.reason == letter.reason else {
          throw Failure(description: "device \(number) lists \(letter.reason) for \(refusal.reason)")
        }
      } else if letter.reason == "gone", letter.entry.operation == .insert, !interpreter.saysOperations {
        // The server could not tell that somebody wanted the record back.
        let subject = name(of: letter.entry.subject)
        devices[number].letters[key] = Refusal(subject: subject, reason: letter.reason)
      } else if attemptLimit < 100,
        ["no answer", "later"].contains(letter.reason)
          || letter.reason.hasPrefix("status ")
      {
        // It was put off too often.
        let subject = name(of: letter.entry.subject)
        devices[number].letters[key] = Refusal(subject: subject, reason: letter.reason)
      } else {
        throw Failure(description: "device \(number) lists \(key), which nobody refused")
      }
    }
    let listed = Set(letters.map(\.id.description))
    for (key, letter) in devices[number].letters where !listed.contains(key) {
      if letter.subject.hasPrefix(Self.log.text), server.known.contains(letter.subject) {
        devices[number].letters[key] = nil
        continue
      }
      // A deletion on the server decides, too.
      if case .dead? = try state(of: letter.subject, at: number) {
        throw Failure(description: "device \(number) hides \(letter)")
      }
      guard try !isShown(letter.subject, at: number) else {
        throw Failure(description: "device \(number) does not list \(letter)")
      }
      devices[number].letters[key] = nil
      devices[number].keys[letter.subject] = nil
    }
  }

  func isShown(_ subject: String, at number: Int) throws -> Bool {
    let parts = subject.split(separator: "/").map(String.init)
    let ids = ids(of: subject)
    return try ids.isEmpty
      || ids.contains { try devices[number].outbox.replica.fields(of: $0, in: Collection(parts[0])) != nil }
  }
}

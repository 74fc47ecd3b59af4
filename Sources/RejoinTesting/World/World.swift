/// Everything that a history is about: replicas, clocks, messages under way, and what really happened.
///
/// ``perform(_:)`` is all that ever happens, whether steps are drawn at random, replayed or enumerated.
struct World<Subject: ReplicatedType>: Sendable {
  typealias Message = Network<Subject.Message>.Message

  var replicas: [Subject]
  var clocks: WallClocks
  var network = Network<Subject.Message>()

  /// The operations of all replicas.
  var events: [Past<Subject.Operation>.Event] = []

  /// What was worked out about them; nil in a world of which copies are made, since those go on differently.
  var notes: PastNotes?

  /// What each replica has seen, and what it had when it last saved.
  var knowledge: [Knowledge]
  private(set) var saved: [Knowledge]

  /// What each replica showed, and after which operations, when that was last found to be right.
  var judged: [Judged?]

  /// How much time passes in each step.
  let millisecondsPerStep: Int64

  private(set) var messageCount = 0

  /// How many of them were made where everybody met everybody.
  var meetingMessageCount = 0

  /// How many messages were refused by their receivers.
  private(set) var refusalCount = 0

  /// What the replicas are held to.
  let promises: Promises<Subject>

  init(replicaCount: Int, millisecondsPerStep: Int64 = 0) {
    self.init(
      replicas: (0..<replicaCount).map { Subject(replica: $0, of: replicaCount) }, promises: Promises(),
      millisecondsPerStep: millisecondsPerStep)
  }

  /// Begins with replicas in which nothing has happened yet.
  init(replicas: [Subject], promises: Promises<Subject>, millisecondsPerStep: Int64 = 0) {
    self.millisecondsPerStep = millisecondsPerStep
    self.replicas = replicas
    self.promises = promises
    clocks = WallClocks(count: replicas.count)
    knowledge = Array(repeating: Knowledge(), count: replicas.count)
    saved = knowledge
    judged = Array(repeating: nil, count: replicas.count)
  }

  /// Performs a step and asks the oracles; a step that makes no sense now does nothing.
  mutating func perform(_ step: Step<Subject.Operation>) throws(Violation) {
    clocks.wait(milliseconds: millisecondsPerStep)
    switch step {
    case .operate(let replica, let operation):
      if !network.absent.contains(replica) { try operate(operation, at: replica) }
    case .exchange(let from, let to):
      guard from != to, let message = makeMessage(from: from, to: to), !network.isCut(from, to) else {
        return
      }
      try take(message, isFresh: true)
    case .send(let from, let to):
      guard from != to, let message = makeMessage(from: from, to: to) else { return }
      network.send(message)
    case .deliver(let index):
      guard network.underWay.indices.contains(index) else { return }
      let message = network.take(index)
      if !network.absent.contains(message.receiver) { try take(message, isFresh: false) }
    case .duplicate(let index):
      guard network.underWay.indices.contains(index) else { return }
      let message = network.underWay[index]
      if !network.absent.contains(message.receiver) { try take(message, isFresh: false) }
    case .lose(let index):
      guard network.underWay.indices.contains(index) else { return }
      _ = network.take(index)
    case .cut(let from, let to): network.cut(from, to)
    case .mend: network.mend()
    case .save(let replica):
      replicas[replica].save()
      saved[replica] = knowledge[replica]
    case .crash(let replica):
      replicas[replica].crash()
      if !promises.savesAtOnce { knowledge[replica] = saved[replica] }
      try checkObservation(of: replica)
    case .wait(let milliseconds): clocks.wait(milliseconds: milliseconds)
    case .setClock(let replica, let amount): clocks.set(replica, byMilliseconds: amount)
    case .stopClock(let replica): clocks.toggle(replica)
    case .coarsenClock(let replica, let amount): clocks.coarsen(replica, milliseconds: amount)
    case .leave(let replica): network.leave(replica)
    case .comeBack(let replica): network.comeBack(replica)
    case .meet: try meet()
    }
  }

  /// Everybody meets everybody.
  ///
  /// What happened before is one operation from then on, if the type knows one that stands for it: what the oracles look
  /// at would otherwise grow for ever.
  private mutating func meet() throws(Violation) {
    try settle(isLast: false)
    let all = Knowledge(certain: NumberSet(below: events.count), possible: NumberSet(below: events.count))
    guard promises.savesAtOnce, !events.isEmpty, knowledge.allSatisfy({ $0 == all }),
      let summary = Subject.summary(of: replicas[0].observation)
    else { return }
    events = [Past.Event(number: 0, replica: 0, operation: summary, past: NumberSet())]
    if notes != nil { notes = PastNotes() }
    let first = Knowledge(certain: NumberSet(below: 1), possible: NumberSet(below: 1))
    knowledge = Array(repeating: first, count: replicas.count)
    saved = knowledge
    judged = Array(repeating: nil, count: replicas.count)
  }

  private mutating func operate(_ operation: Subject.Operation, at replica: Int) throws(Violation) {
    let before = replicas[replica]
    // Whoever shares what copies should not share does so from the first operation on.
    let shownBefore = knowledge[replica].possible == NumberSet() ? before.observation : nil
    replicas[replica].apply(operation, clockMilliseconds: clocks.reading(of: replica))
    events.append(
      Past.Event(
        number: events.count, replica: replica, operation: replicas[replica].outcome(of: operation),
        past: knowledge[replica].certain))
    knowledge[replica].insert(events.count - 1)
    if let shownBefore { try checkCopy(before, of: replica, shown: shownBefore) }
    try checkInflation(of: replica, since: before)
    try checkGrouping(around: replica)
    try checkObservation(of: replica)
  }

  mutating func makeMessage(from sender: Int, to receiver: Int) -> Message? {
    guard let content = replicas[sender].message(to: receiver) else { return nil }
    messageCount += 1
    return Message(
      number: messageCount, sender: sender, receiver: receiver, content: content,
      knowledge: knowledge[sender])
  }

  /// Lets a message arrive; `isFresh` when its sender is as it was when it made it.
  mutating func take(_ message: Message, isFresh: Bool) throws(Violation) {
    let receiver = message.receiver
    let before = replicas[receiver]
    guard replicas[receiver].take(message, clocks) else {
      refusalCount += 1
      return
    }
    knowledge[receiver].take(message.knowledge, everything: promises.messagesCarryEverything)
    try checkAlgebra(of: message, isFresh: isFresh, at: before)
    try checkObservation(of: receiver)
  }
}

extension ReplicatedType {
  /// Merges a message at the receiver's clock; false when it was refused.
  mutating func take(_ message: Network<Message>.Message, _ clocks: WallClocks) -> Bool {
    merge(
      message.content, from: message.sender, clockMilliseconds: clocks.reading(of: message.receiver))
  }
}

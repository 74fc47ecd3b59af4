import RejoinTesting
import Rejoin
import RejoinCore
import TestSupport
import Testing

/// A restored record is the one that was deleted: what earlier lives had left behind stays gone.
struct RestoreBringsBackTheEndedLifeTests {
  private let id = RecordID(high: 0, low: 1)
  private let environment = SimulatedEnvironment(seed: 1)

  private func replica() -> Replica { Replica(configuration: environment.configuration()) }

  @Test
  func
    `fields of a life before the ended one do not come back, even where nobody saw that one`()
    throws
  {
    let writer = replica()
    let reader = replica()
    try writer.insert(["old": 1, "kept": 1], id: id, in: "things")
    try writer.sync(with: reader)
    try writer.delete(id, in: "things")
    try writer.insert(["kept": 2], id: id, in: "things")
    try writer.delete(id, in: "things")
    try writer.sync(with: reader)
    #expect(writer.version == reader.version)
    #expect(try writer.state() == reader.state())
    try reader.restore(id, in: "things")
    #expect(try reader.fields(of: id, in: "things") == ["kept": 2])
  }

  @Test func `edits made beneath the deletion come back too`() throws {
    let deleter = replica()
    let editor = replica()
    try deleter.insert(["name": "before"], id: id, in: "things")
    try deleter.sync(with: editor)
    try deleter.delete(id, in: "things")
    try editor.set(["name": "beneath", "more": 1], id: id, in: "things")
    try deleter.sync(with: editor)
    #expect(try deleter.fields(of: id, in: "things") == nil)
    try deleter.restore(id, in: "things")
    #expect(try deleter.fields(of: id, in: "things") == ["name": "beneath", "more": 1])
  }

  @Test func `what waited for its time comes back at once`() throws {
    let ahead = SimulatedEnvironment(wallMilliseconds: environment.wallMilliseconds + 60_000_000, seed: 2)
    let early = Replica(configuration: ahead.configuration())
    let restorer = replica()
    try restorer.insert(["name": "now"], id: id, in: "things")
    try restorer.sync(with: early)
    try early.set(["name": "later"], id: id, in: "things")
    try restorer.sync(with: early)
    #expect(try restorer.fields(of: id, in: "things") == ["name": "now"])
    try restorer.delete(id, in: "things")
    try restorer.restore(id, in: "things")
    #expect(try restorer.fields(of: id, in: "things") == ["name": "later"])
    #expect(try restorer.waiting().isEmpty)
  }

  @Test func `a fresh insert begins with its own fields only`() throws {
    let writer = replica()
    try writer.insert(["old": 1], id: id, in: "things")
    try writer.delete(id, in: "things")
    try writer.insert(["new": 1], id: id, in: "things")
    #expect(try writer.fields(of: id, in: "things") == ["new": 1])
  }

  @Test func `a life travels with its registers, also to whom it is known`() throws {
    let writer = replica()
    let reader = replica()
    try writer.insert(["name": 1], id: id, in: "things")
    try writer.sync(with: reader)
    try writer.delete(id, in: "things")
    try reader.delete(id, in: "things")
    try writer.sync(with: reader)
    let before = reader.version
    try writer.restore(id, in: "things")
    try writer.set(["name": 2], id: id, in: "things")
    let delta = try writer.delta(since: before)
    #expect(delta.lives.count == 1)
    let later = try writer.delta(since: writer.version)
    #expect(later.isEmpty)
    try reader.merge(delta)
    let known = reader.version
    try writer.set(["name": 3], id: id, in: "things")
    #expect(try writer.delta(since: known).lives.map(\.value.count) == [3])
  }
}

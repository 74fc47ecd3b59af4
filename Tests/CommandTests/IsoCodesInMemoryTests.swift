import Foundation
import Rejoin
import RejoinCore
import RejoinSQLite
import Testing

/// Acceptance with real data: every list of iso-codes, and a ring in which one replica lives in memory.
struct IsoCodesInMemoryTests {
  private static let folder = "/usr/share/iso-codes/json"
  private static let lists: [(list: String, key: String)] = [
    ("15924", "alpha_4"), ("3166-1", "alpha_3"), ("3166-2", "code"), ("3166-3", "alpha_4"),
    ("4217", "alpha_3"), ("639-2", "alpha_3"), ("639-3", "alpha_3"), ("639-5", "alpha_3"),
  ]

  /// Under CI the lists have to be there; elsewhere the tests are skipped without them.
  private static var isAvailable: Bool {
    FileManager.default.fileExists(atPath: folder) || ProcessInfo.processInfo.environment["CI"] == "true"
  }

  private static func path(_ list: String) -> String { "\(folder)/iso_\(list).json" }

  /// The objects of a list as Foundation reads them, not this library.
  private static func objects(_ json: Any?) throws -> Set<[String: String]> {
    Set(try #require(json as? [[String: String]]))
  }

  private static func original(_ list: String) throws -> Set<[String: String]> {
    let data = try Data(contentsOf: URL(fileURLWithPath: path(list)))
    let whole = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return try objects(whole[list])
  }

  private static func exported(_ name: String, _ workspace: Workspace) throws -> Set<[String: String]> {
    try objects(JSONSerialization.jsonObject(with: Data(workspace.bytes(of: name))))
  }

  @Test(.enabled(if: isAvailable, "iso-codes is not installed: apt-get install iso-codes"), arguments: lists)
  func `a list comes out as it went in`(list: String, key: String) async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a")
      try await workspace.succeed("import", "a", list, Self.path(list), "--at", "/\(list)", "--id", key)
      try await workspace.succeed("export", "a", list, "out", "--without-id")
      #expect(try Self.exported("out", workspace) == Self.original(list))
    }
  }

  @Test(.enabled(if: isAvailable, "iso-codes is not installed: apt-get install iso-codes"))
  func `a replica in memory takes the place of one in a file`() async throws {
    try await Workspace.with { workspace in
      try await workspace.makeReplicas("a", "c")
      try await workspace.succeed(
        "import", "a", "languages", Self.path("639-3"), "--at", "/639-3", "--id", "alpha_3")
      var expected = try Self.original("639-3")
      try Self.ring(workspace, editing: &expected)
      for file in ["a", "c"] {
        try await workspace.succeed("export", file, "languages", "out", "--without-id")
        #expect(try Self.exported("out", workspace) == expected)
        #expect(try await workspace.succeed("doctor", file, "--json").json["findings"] == [])
      }
    }
  }

  /// Two hundred and fifty edits in memory and as many in a file, around the ring from file to memory to file.
  private static func ring(_ workspace: Workspace, editing expected: inout Set<[String: String]>) throws {
    let a = try Replica(at: workspace.folder.appendingPathComponent("a").path)
    let b = Replica(configuration: ReplicaConfiguration(dataset: DatasetID(name: "tests")))
    let c = try Replica(at: workspace.folder.appendingPathComponent("c").path)
    for (replica, peer) in [(a, b), (b, c), (c, a)] { try replica.sync(with: peer) }
    let codes = expected.compactMap { $0["alpha_3"] }.sorted().prefix(500)
    for (index, code) in codes.enumerated() {
      let id = RecordID.derived(from: code, in: "languages")
      let name = "\(code) edited, é and e\u{301}"
      try (index % 2 == 0 ? b : c).set(["name": .string(name)], id: id, in: "languages")
      guard var object = expected.first(where: { $0["alpha_3"] == code }) else { continue }
      expected.remove(object)
      object["name"] = name
      expected.insert(object)
    }
    for _ in 0..<2 {
      for (replica, peer) in [(a, b), (b, c), (c, a)] { try replica.sync(with: peer) }
    }
    #expect(try Set([a, b, c].map { try $0.digest() }).count == 1)
    #expect(Set([a, b, c].map(\.version)).count == 1)
  }
}

import LibrarySubjects
import Rejoin
import RejoinCore
import RejoinOutbox
import RejoinTesting
import Testing

/// Figures of a configuration that mean nothing become the nearest ones that do.
struct FigureTests {
  @Test func `figures are brought into their range, however they are set`() {
    var configuration = OutboxConfiguration(batchLimit: 0, pageLimit: -1, attemptLimit: .min)
    #expect(configuration.batchLimit == 1 && configuration.pageLimit == 1 && configuration.attemptLimit == 1)
    configuration = OutboxConfiguration(batchLimit: .max, pageLimit: .max, attemptLimit: .max)
    #expect(configuration.batchLimit == 10_000 && configuration.pageLimit == 1_000_000)
    #expect(configuration.attemptLimit == .max)
    configuration.batchLimit = -5
    configuration.pageLimit = 0
    configuration.attemptLimit = 0
    configuration.lookBackMilliseconds = -1
    #expect(configuration.batchLimit == 1 && configuration.pageLimit == 1 && configuration.attemptLimit == 1)
    #expect(configuration.lookBackMilliseconds == 0)
    configuration.lookBackMilliseconds = .max
    #expect(configuration.lookBackMilliseconds == 31_536_000_000)
    configuration.batchLimit = 7
    #expect(configuration.batchLimit == 7)
  }

  @Test(arguments: [Int.min, 0, 1, Int.max])
  func `everything that waits goes out, whatever the figures`(_ figure: Int) throws {
    let environment = SimulatedEnvironment(wallMilliseconds: 1_700_000_000_000, seed: 7)
    var configuration = OutboxConfiguration(batchLimit: figure, pageLimit: figure, attemptLimit: figure)
    configuration.lookBackMilliseconds = Int64(figure)
    let outbox = Outbox(
      Replica(configuration: ReplicaConfiguration(environment: environment.environment)),
      configuration: configuration)
    let server = ScriptedServer()
    for _ in 0..<3 { try outbox.replica.insert(["a": 1], id: outbox.replica.newID(), in: "jobs") }
    #expect(try server.run(outbox).push.applied.count == 3)
    #expect(server.pushes.count == (figure > 1 ? 1 : 3))
  }
}

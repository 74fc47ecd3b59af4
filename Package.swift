// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "rejoin",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RejoinCore", targets: ["RejoinCore"]),
    .library(name: "Rejoin", targets: ["Rejoin"]),
    .library(name: "RejoinSQLite", targets: ["RejoinSQLite"]),
    .library(name: "RejoinTesting", targets: ["RejoinTesting"]),
    .library(name: "MutantZoo", targets: ["MutantZoo"]),
    .library(name: "RejoinOutbox", targets: ["RejoinOutbox"]),
    .library(name: "AccountTrackers", targets: ["AccountTrackers"]),
    .executable(name: "rejoin", targets: ["RejoinCLI"]),
  ],
  targets: [
    .target(name: "RejoinCore"),
    .target(name: "Rejoin", dependencies: ["RejoinCore"]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "RejoinSQLite", dependencies: ["Rejoin", "RejoinCore", "CSQLite"]),
    .target(name: "RejoinTesting", dependencies: ["Rejoin", "RejoinCore"]),
    .target(name: "MutantZoo", dependencies: ["RejoinTesting"]),
    .target(name: "RejoinOutbox", dependencies: ["Rejoin", "RejoinCore"]),
    .target(name: "AccountTrackers", dependencies: ["Rejoin", "RejoinCore", "RejoinOutbox"]),
    .executableTarget(
      name: "RejoinCLI",
      dependencies: [
        "AccountTrackers", "Rejoin", "RejoinCore", "RejoinOutbox", "RejoinSQLite", "RejoinTesting",
      ]),

    .executableTarget(
      name: "Quickstart",
      dependencies: ["Rejoin", "RejoinCore", "RejoinSQLite"],
      path: "Examples/Quickstart"),
    .executableTarget(
      name: "PlainServer",
      dependencies: ["Rejoin", "RejoinOutbox", "RejoinSQLite"],
      path: "Examples/PlainServer"),
    .executableTarget(
      name: "ReplicaServer",
      dependencies: ["Rejoin", "RejoinOutbox"],
      path: "Examples/ReplicaServer"),
    .target(
      name: "OwnDialect", dependencies: ["RejoinCore", "RejoinOutbox"], path: "Examples/OwnDialect"),
    .executableTarget(
      name: "FieldTeam",
      dependencies: ["Rejoin", "RejoinOutbox", "RejoinTesting"],
      path: "Examples/FieldTeam"),
    .executableTarget(
      name: "GenerateData",
      dependencies: ["RejoinCore"],
      path: "Examples/GenerateData"),

    .executableTarget(
      name: "ZooTable", dependencies: ["MutantZoo", "RejoinTesting"], path: "Examples/ZooTable"),
    .executableTarget(
      name: "ExhaustiveTable", dependencies: ["MutantZoo", "RejoinTesting"],
      path: "Examples/ExhaustiveTable"),
    .executableTarget(
      name: "ProtocolTable", dependencies: ["RejoinTesting"], path: "Examples/ProtocolTable"),
    .executableTarget(
      name: "FirstLoad",
      dependencies: ["Rejoin", "RejoinCore", "RejoinOutbox", "RejoinSQLite", "TestSupport"],
      path: "Examples/FirstLoad"),

    .target(
      name: "CFaultyDisk",
      dependencies: ["CSQLite"],
      path: "Tests/FaultyDisk",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "TestSupport",
      dependencies: ["CFaultyDisk", "Rejoin", "RejoinCore", "RejoinSQLite", "RejoinTesting"],
      path: "Tests/Support",
      exclude: ["Server"]),
    .target(
      name: "LibrarySubjects",
      dependencies: [
        "AccountTrackers", "MutantZoo", "OwnDialect", "Rejoin", "RejoinCore", "RejoinOutbox",
        "RejoinSQLite", "RejoinTesting", "TestSupport",
      ],
      path: "Tests/Subjects"),
    .executableTarget(
      name: "Soak", dependencies: ["LibrarySubjects", "RejoinTesting"], path: "Tests/Soak"),
    .executableTarget(
      name: "TestWorker",
      dependencies: ["Rejoin", "RejoinCore", "RejoinOutbox", "RejoinSQLite"],
      path: "Tests/Worker"),
    .target(name: "Allocations", path: "Tests/Allocations"),
    .target(
      name: "FuzzTargets", dependencies: ["Rejoin", "RejoinCore"], path: "Tests/Fuzz",
      exclude: ["Corpus"]),
    .testTarget(
      name: "RejoinOutboxTests",
      dependencies: [
        "AccountTrackers", "LibrarySubjects", "Rejoin", "RejoinCore", "RejoinOutbox", "RejoinSQLite",
        "RejoinTesting",
        "TestSupport", "TestWorker",
      ],
      exclude: ["Golden"]),
    .testTarget(
      name: "RejoinCoreTests",
      dependencies: ["Allocations", "FuzzTargets", "RejoinCore", "TestSupport"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "PropertyTests",
      dependencies: ["RejoinTesting"],
      path: "Examples/PropertyTests"),
    .testTarget(
      name: "RejoinTests", dependencies: ["Rejoin", "RejoinCore", "RejoinTesting", "TestSupport"]),
    .testTarget(
      name: "RejoinSQLiteTests",
      dependencies: [
        "CSQLite", "Rejoin", "RejoinCore", "RejoinSQLite", "RejoinTesting", "TestSupport", "TestWorker",
      ]),
    .testTarget(
      name: "AccountTrackersTests",
      dependencies: [
        "AccountTrackers", "Rejoin", "RejoinCore", "RejoinOutbox", "RejoinTesting", "TestSupport",
      ]),
    .testTarget(
      name: "CommandTests",
      dependencies: ["FieldTeam", "RejoinCLI", "RejoinCore", "RejoinSQLite", "TestSupport"]),
    .testTarget(
      name: "RejoinTestingTests",
      dependencies: ["LibrarySubjects", "MutantZoo", "Rejoin", "RejoinCore", "RejoinTesting", "TestSupport"]),
    .testTarget(name: "TidyTests", dependencies: ["TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// The same settings for every target in Swift; keep this after the package so that no target escapes it.
for target in package.targets where target.type != .system && target.name != "Allocations" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}

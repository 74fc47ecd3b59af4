import Rejoin
import RejoinCore
import Testing
import TestSupport

@testable import RejoinTesting

/// Sessions with short numbers survive silence, and messages that are repeated late.
struct PullSessionTests {
  /// Two replicas, and what each knows of the other.
  private struct Pair {
    let replicas: [Replica]
    var sessions: [PullSession]
    var questions: [[[UInt8]]] = [[], []]
    var answers: [[[UInt8]]] = [[], []]
    private var written = 0

    init(seed: UInt64) {
      replicas = (0..<2).map {
        Replica(configuration: SimulatedEnvironment(seed: seed << 1 + UInt64($0)).configuration())
      }
      let roster = replicas.map(\.id).sorted()
      sessions = [PullSession(roster: roster), PullSession(roster: roster)]
    }

    mutating func write(at end: Int) throws {
      written += 1
      try replicas[end].append(["number": .int(Int64(written))], to: "log")
    }

    mutating func ask(from end: Int) -> [UInt8] {
      let question = sessions[end].question(of: replicas[end]).message
      questions[end].append(question)
      return question
    }

    mutating func answer(_ question: [UInt8], at end: Int) throws -> [UInt8]? {
      let answer = try sessions[end].answer(question, from: replicas[end])?.message
      if let answer { answers[end].append(answer) }
      return answer
    }

    mutating func take(_ answer: [UInt8]?, at end: Int) throws {
      if let answer { try sessions[end].take(answer, into: replicas[end]) }
    }

    /// One end asks, and all of it arrives.
    mutating func round(from end: Int) throws {
      try take(try answer(ask(from: end), at: 1 - end), at: end)
    }

    var isLevel: Bool { replicas[0].version == replicas[1].version }
  }

  @Test(arguments: [1, 15, 16, 17, 18, 63, 64, 65, 127, 128, 129, 300])
  func `after any number of lost questions the next one is answered`(lost: Int) throws {
    var pair = Pair(seed: 1)
    for _ in 0..<3 {
      try pair.write(at: 0)
      try pair.round(from: 1)
      for _ in 0..<lost { _ = pair.ask(from: 1) }
      try pair.write(at: 0)
      try pair.round(from: 1)
      #expect(pair.isLevel)
      // And answers.
      for _ in 0..<lost { _ = try pair.answer(pair.ask(from: 1), at: 0) }
      try pair.write(at: 0)
      try pair.round(from: 1)
      #expect(pair.isLevel)
    }
  }

  @Test func `what comes again much later costs a few rounds at most`() throws {
    for seed in TestSeeds.seeds(30) {
      var generator = SplitMix64(seed: seed)
      var pair = Pair(seed: seed)
      for _ in 0..<300 {
        let end = Int(generator.next() % 2)
        if generator.next() % 2 == 0 { try pair.write(at: end) }
        // The other end is asked again what it was asked long ago, and hears old answers.
        if generator.next() % 4 == 0, let old = pair.questions[1 - end].randomElement(using: &generator) {
          let answer = try pair.answer(old, at: end)
          if generator.next() % 2 == 0 { try pair.take(answer, at: 1 - end) }
        }
        if generator.next() % 4 == 0, let old = pair.answers[1 - end].randomElement(using: &generator) {
          try pair.take(old, at: end)
        }
        if generator.next() % 8 > 0 { try pair.round(from: end) }
      }
      var rounds = 0
      while !pair.isLevel, rounds < 200 {
        try pair.round(from: rounds % 2)
        rounds += 1
      }
      #expect(pair.isLevel, "seed \(seed)")
      #expect(try pair.replicas[0].digest() == pair.replicas[1].digest(), "seed \(seed)")
    }
  }
}

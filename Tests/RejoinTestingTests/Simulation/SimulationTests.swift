import RejoinTesting
import Testing

/// Whole replicas in a simulated world.
struct SimulationTests {
  private static let rates = TestOptions.Rates(lossPercent: 20, duplicationPercent: 10, crashPercent: 3)

  @Test(arguments: Topology.allCases)
  func `every promise is kept, whoever meets whom`(topology: Topology) throws {
    for seed in UInt64(0)..<5 {
      let simulation = Simulation(
        replicas: 5, steps: 200, topologies: [topology], rates: Self.rates, skewMilliseconds: 100_000)
      let report = simulation.run(seed: seed)
      if let counterexample = report.counterexample { throw counterexample }
      #expect(report.stepCount == 200)
      #expect(report.replicaCount == 5)
    }
  }

  @Test func `one seed makes one history, in debug and release builds alike`() {
    let simulation = Simulation(replicas: 4, steps: 300, rates: Self.rates, skewMilliseconds: 1_000)
    let report = simulation.run(seed: 1)
    #expect(report.hash == simulation.run(seed: 1).hash)
    #expect(report.hash != simulation.run(seed: 2).hash)
    // Seen in a debug and in a release build; it changes whenever histories are drawn differently.
    #expect(report.hash == "fe2bf37f7ba21303")
  }

  @Test func `each replica sends about one message a minute`() {
    for edits in [10, 50, 200] {
      let rates = TestOptions.Rates(crashPercent: 5, operationsPerHundredMessages: edits)
      let report = Simulation(replicas: 4, steps: 600, topologies: [.mesh], rates: rates).run(seed: 1)
      let expected = Int(report.simulatedMilliseconds) / 60_000 * 4
      // Meetings bring some more.
      #expect((expected * 8 / 10...expected * 12 / 10).contains(report.messageCount))
    }
  }

  @Test func `values out of range are brought into it`() {
    #expect(Simulation(replicas: 0, steps: -1, skewMilliseconds: -5).run(seed: 1).stepCount == 1)
    #expect(Simulation(replicas: 1, steps: 30, topologies: []).run(seed: 1).counterexample == nil)
    let rates = TestOptions.Rates(lossPercent: 500, duplicationPercent: 500, crashPercent: -1)
    #expect(rates.lossPercent == 90)
    #expect(rates.duplicationPercent == 0)
    #expect(rates.crashPercent == 0)
  }

  @Test func `the page says what happened, who won and why`() throws {
    let report = Simulation(replicas: 3, steps: 150, rates: Self.rates).run(seed: 2)
    let page = ParsedPicture(report.page().html)
    #expect(page.isWellFormed)
    #expect(page.elements("h1").map(\.text) == ["3 replicas, 150 steps, seed 2"])
    #expect(page.elements("dd").map(\.text).contains(report.hash))
    #expect(page.elements("p", class: "kept").count == 1)
    let cells = page.elements("td").map(\.text)
    let reasons = cells.filter {
      $0.hasPrefix("The latest write is that of") || $0.hasPrefix("The record was")
    }
    #expect(!reasons.isEmpty)
    #expect(reasons.allSatisfy { $0.contains(" in step ") && !$0.contains("-") }, "\(reasons)")
    #expect(page.elements("svg").count == 1)
    #expect(page.elements("path", class: "lane").count == 3)
  }

  @Test func `of a long history the page shows the last thousand steps`() {
    let page = ParsedPicture(Simulation(replicas: 2, steps: 1_200).run(seed: 1).page().html)
    #expect(page.isWellFormed)
    #expect(page.elements("tr").filter { $0.attributes["class"] == nil }.count >= 1_000)
    #expect(page.elements("svg").count == 1)
    let numbers = page.elements("th").filter { $0.attributes["scope"] == "row" }.compactMap { Int($0.text) }
    #expect(numbers == Array(201...1_200))
    #expect(page.elements("p").map(\.text).contains("What follows begins after step 200."))
  }
}

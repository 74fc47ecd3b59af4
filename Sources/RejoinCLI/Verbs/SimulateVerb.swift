import Foundation
import RejoinCore
import RejoinTesting

extension Verb {
  /// The verb `rejoin simulate`.
  static let simulate = Verb(
    name: "simulate",
    syntax: Syntax(
      options: [
        Syntax.Option(name: "--replicas", value: "N", meaning: "How many replicas, 1 to 100; 3 without it."),
        Syntax.Option(name: "--steps", value: "N", meaning: "How many steps, 1 to 1000000; 200 without it."),
        Syntax.Option(
          name: "--seed", value: "N",
          meaning: "Which history: a whole number, 1 without it. One seed, one history."),
        Syntax.Option(
          name: "--topology", value: "NAME",
          meaning: "Who meets whom: mesh, star, ring or pairs; the seed decides without it."),
        Syntax.Option(
          name: "--loss", value: "P", meaning: "How many messages of a hundred are lost, 0 to 90."),
        Syntax.Option(
          name: "--duplicate", value: "P",
          meaning: "How many arrivals of a hundred happen once more, 0 to 90 together with --loss."),
        Syntax.Option(
          name: "--skew", value: "MS",
          meaning: "By how many milliseconds clocks are off, 0 to 150000; 0 without it."),
        Syntax.Option(
          name: "--crash", value: "P", meaning: "In how many steps of a hundred a process ends, 0 to 90."),
        Syntax.Option(
          name: "--edits", value: "N",
          meaning: "How many edits there are for a hundred messages, 1 to 1000; 50 without it."),
        Syntax.Option(
          name: "--report", value: "FILE",
          meaning: "Write one HTML page about the history: who won and why, every state, a picture."),
        Syntax.Option(
          name: "--speed", meaning: "Say what was simulated in each second of one processor's time."),
      ]),
    abstract:
      "Runs whole replicas against a bad network, wrong clocks and crashes, and checks every promise.",
    keys: [
      Key("seed", "the seed"), Key("replicas", "how many there were"), Key("steps", "how many there were"),
      Key("messages", "how many were sent, besides those with which everybody met everybody"),
      Key("meetingMessages", "how many were sent where everybody met everybody"),
      Key("simulatedMilliseconds", "the time that passed"),
      Key("processorMilliseconds", "with --speed: how long one processor took"),
      Key("hash", "a fingerprint of the history: one seed, one hash, on every machine"),
      Key("violation", "the promise that was broken, or null; exit code 1 if there is one"),
      Key("counterexample", "the smallest history that breaks a promise, as text, or null"),
    ]
  ) { arguments in
    func number<Number: FixedWidthInteger>(
      _ name: String, _ range: ClosedRange<Number>, without: Number
    ) throws -> Number {
      guard let text = arguments.option(name) else { return without }
      guard let number = Number(text), range.contains(number) else {
        throw Failure.usage(
          "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\".")
      }
      return number
    }
    let loss = try number("--loss", 0...90, without: 0)
    let rates = TestOptions.Rates(
      lossPercent: loss, duplicationPercent: try number("--duplicate", 0...90 - loss, without: 0),
      crashPercent: try number("--crash", 0...90, without: 0),
      operationsPerHundredMessages: try number("--edits", 1...1_000, without: 50))
    let topologies = try arguments.option("--topology").map { name in
      guard let topology = Topology(rawValue: name) else {
        throw Failure.usage(
          "--topology takes \(Topology.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(name)\".")
      }
      return [topology]
    }
    let simulation = Simulation(
      replicas: try number("--replicas", 1...100, without: 3),
      steps: try number("--steps", 1...1_000_000, without: 200),
      topologies: topologies ?? Topology.allCases, rates: rates,
      skewMilliseconds: try number("--skew", 0...Simulation.greatestSkewMilliseconds, without: 0))
    let seed = try number("--seed", 0...UInt64.max, without: 1)
    let start = clock()
    let report = simulation.run(seed: seed)
    let microseconds = max(Int64(clock() - start), 1)
    var outcome = Report(text: text(of: report), json: json(of: report), exitCode: report.exitCode)
    if arguments.has("--speed") {
      outcome.text += "\n" + speed(of: report, microseconds)
      outcome.json.append(JSON.Member("processorMilliseconds", .int(microseconds / 1_000)))
    }
    if let path = arguments.option("--report") {
      do {
        try PlainFile.write(Array(report.page().html.utf8), to: path, keeping: [])
      } catch let failure as Failure {
        // What was found is told all the same.
        outcome.notes.append(failure.message)
        if outcome.exitCode == .done { outcome.exitCode = failure.exitCode }
      }
    }
    return outcome
  }

  private static func text(of report: SimulationReport) -> String {
    let (hours, minutes) = (report.simulatedMilliseconds / 60_000).quotientAndRemainder(dividingBy: 60)
    let history = """
      Seed \(report.seed): \(report.replicaCount) replicas, \(report.stepCount) steps, \
      \(report.messageCount) messages, \(hours) h \(minutes) min; hash \(report.hash).
      """
    guard let counterexample = report.counterexample else { return "\(history)\nEvery promise was kept." }
    return "\(history)\nThe smallest history that breaks a promise:\n\(counterexample)"
  }

  /// What was simulated in each second of one processor's time; POSIX counts that in microseconds.
  private static func speed(of report: SimulationReport, _ microseconds: Int64) -> String {
    let seconds = Double(microseconds) / 1e6
    let hours = Double(report.simulatedMilliseconds) / 3_600_000 / seconds
    let messages = Double(report.messageCount + report.meetingMessageCount) / seconds
    return """
      \(report.messageCount) messages, and \(report.meetingMessageCount) where everybody met everybody, in \
      \((seconds * 1000).rounded() / 1000) s of one processor: \(Int(hours)) simulated hours and \(Int(messages)) \
      messages a second.
      """
  }

  private static func json(of report: SimulationReport) -> [JSON.Member] {
    let counterexample = report.counterexample
    return [
      JSON.Member("seed", .string(String(report.seed))),
      JSON.Member("replicas", .int(Int64(report.replicaCount))),
      JSON.Member("steps", .int(Int64(report.stepCount))),
      JSON.Member("messages", .int(Int64(report.messageCount))),
      JSON.Member("meetingMessages", .int(Int64(report.meetingMessageCount))),
      JSON.Member("simulatedMilliseconds", .int(report.simulatedMilliseconds)),
      JSON.Member("hash", .string(report.hash)),
      JSON.Member("violation", counterexample.map { .string("\($0.violation)") } ?? .null),
      JSON.Member("counterexample", counterexample.map { .string("\($0)") } ?? .null),
    ]
  }
}

extension SimulationReport {
  fileprivate var exitCode: ExitCode { counterexample == nil ? .done : .refused }
}

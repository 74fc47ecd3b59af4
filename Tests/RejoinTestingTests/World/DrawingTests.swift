import Testing

@testable import RejoinTesting

/// What histories are like on the whole.
struct DrawingTests {
  private let options = TestOptions()
  private let histories = (0..<600).map { History<Silent>(seed: $0, options: TestOptions()) }

  @Test func `half of the histories are as long as they may be, the others of any length`() {
    let longest = histories.count { $0.steps.count == options.steps }
    #expect((250...380).contains(longest))
    #expect(histories.contains { $0.steps.count == 1 })
    #expect(histories.allSatisfy { $0.steps.count <= options.steps })
  }

  @Test func `a third of the long histories has no faults at all`() {
    let long = histories.filter { $0.steps.count == options.steps }
    let calm = long.count { history in history.steps.allSatisfy { !$0.step.isIncident } }
    #expect((long.count / 4...long.count / 2).contains(calm))
  }

  @Test func `most histories have as many replicas as they may have, and none has one`() {
    let complete = histories.count { $0.replicaCount == options.replicas }
    #expect((400...500).contains(complete))
    #expect(histories.allSatisfy { $0.replicaCount > 1 })
  }
}

extension Step {
  /// Whether it is anything but an operation or an exchange.
  fileprivate var isIncident: Bool {
    switch self {
    case .operate, .exchange: false
    default: true
    }
  }
}

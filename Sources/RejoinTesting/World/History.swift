/// One history from its first choice to its end: what was decided, what happened, and what an oracle said.
struct History<Subject: ReplicatedType>: Sendable {
  /// A step, and the choices that made it.
  struct Drawn: Sendable {
    var step: Step<Subject.Operation>
    var choices: Range<Int>
  }

  let replicaCount: Int
  let millisecondsPerStep: Int64
  let choices: [Choices.Choice]
  let steps: [Drawn]
  let violation: Violation?
  let messageCount: Int

  /// How many of them were made where everybody met everybody.
  let meetingMessageCount: Int

  /// What each replica showed in the end.
  let outcome: [Subject.Observation]

  /// How much time passed, in milliseconds, before everybody met everybody.
  let elapsedMilliseconds: Int64

  /// Whether it could be told to its end; a sequence that is too short, or asks for what the options exclude, stands
  /// for no history.
  let isWhole: Bool

  /// Whether every choice that was read could have been made where it was read.
  let isFaithful: Bool

  var sequence: ChoiceSequence { ChoiceSequence(choices.map(\.value)) }

  /// Draws a history at random.
  init(seed: UInt64, options: TestOptions) {
    let plan = StepPlan(options: options, savesAtOnce: Subject.savesAtOnce, seed: seed ^ 0x5eed)
    self.init(Choices(seed: seed), plan: plan, options)
  }

  /// Replays a history.
  init(replaying sequence: ChoiceSequence, options: TestOptions) {
    let plan = StepPlan(options: options, savesAtOnce: Subject.savesAtOnce, seed: 0)
    self.init(Choices(replaying: sequence), plan: plan, options)
  }

  private init(_ source: Choices, plan: StepPlan, _ options: TestOptions) {
    var choices = source
    let isReplay = choices.isReplay
    choices.focus = plan.focus
    replicaCount = choices.replicaCount(from: options.fewestReplicas, upTo: options.replicas)
    let standsStill =
      options.narrowPercent > 0 && choices.happens(percent: plan.focus == .anything ? 0 : 100)
    millisecondsPerStep = standsStill ? 0 : options.millisecondsPerStep
    var world = World<Subject>(replicaCount: replicaCount, millisecondsPerStep: millisecondsPerStep)
    world.notes = PastNotes()
    var steps: [Drawn] = []
    var violation: Violation?
    var isWhole = true
    var elapsed: Int64?
    do throws(Violation) {
      while isReplay ? !choices.isAtEnd : steps.count < plan.stepCount {
        choices.beginStep()
        let start = choices.made.count
        if isReplay, steps.count >= options.steps {
          isWhole = false
          break
        }
        guard let step = world.nextStep(&choices, plan: plan), !choices.isOverrun else {
          isWhole = false
          break
        }
        steps.append(Drawn(step: step, choices: start..<choices.made.count))
        try world.perform(step)
      }
      elapsed = world.clocks.elapsedMilliseconds
      if isWhole { try world.settle() }
    } catch {
      violation = error
    }
    self.choices = choices.made
    self.steps = steps
    self.violation = violation
    messageCount = world.messageCount
    meetingMessageCount = world.meetingMessageCount
    outcome = world.replicas.map(\.observation)
    elapsedMilliseconds = elapsed ?? world.clocks.elapsedMilliseconds
    self.isWhole = isWhole
    isFaithful = !choices.isOutOfRange
  }
}

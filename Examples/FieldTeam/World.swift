import Rejoin
import RejoinOutbox
import Synchronization

/// The clock on everybody's wall; it goes on when the story says so.
final class Clock: Sendable {
  private let now: Mutex<Int64>

  /// Starts at 8 o'clock on a day in 2026.
  init() { now = Mutex(1_780_300_800_000) }

  /// What it shows, in milliseconds since the Unix epoch.
  var milliseconds: Int64 { now.withLock { $0 } }

  /// Lets time pass.
  func pass(minutes: Int64) { now.withLock { $0 += minutes * 60_000 } }
}

/// Randomness from a seed: SplitMix64.
final class Dice: Sendable {
  private let state: Mutex<UInt64>

  init(seed: UInt64) { state = Mutex(seed) }

  /// 64 bits.
  func bits() -> UInt64 {
    state.withLock { state in
      state &+= 0x9e37_79b9_7f4a_7c15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
      return bits ^ (bits >> 31)
    }
  }

  /// A number from 0, below `count`.
  func number(below count: Int) -> Int { Int(bits() % UInt64(count)) }

  /// Whether something happens that happens so often in a hundred times.
  func happens(percent: Int) -> Bool { number(below: 100) < percent }
}

/// The way to the server: loses requests and answers.
actor FlakyLink: ServerConnection {
  /// How many requests of a hundred never arrive, and how many answers of a hundred.
  var lossPercent = 15
  private(set) var lostRequests = 0
  private(set) var lostAnswers = 0
  private let server: JobServer
  private let dice: Dice

  init(to server: JobServer, dice: Dice) {
    self.server = server
    self.dice = dice
  }

  /// Loses nothing from now on.
  func mend() { lossPercent = 0 }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse? {
    if dice.happens(percent: lossPercent) {
      lostRequests += 1
      return nil
    }
    let response = await server.answer(request)
    if dice.happens(percent: lossPercent) {
      lostAnswers += 1
      return nil
    }
    return response
  }
}

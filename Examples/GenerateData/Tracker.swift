import RejoinCore

/// The tracker of one provider's limit, as the server answers it.
struct Tracker {
  let id: RecordID
  let accountID: RecordID
  let providerSlug: String
  let cooldownDays: Int64
  let lastLimitHit: Moment?

  /// The tracker as a line of JSON.
  var json: String {
    JSONText.object([
      "id": JSONText.string(id.description),
      "accountId": JSONText.string(accountID.description),
      "providerSlug": JSONText.string(providerSlug),
      "cooldownDays": String(cooldownDays),
      "lastLimitHitAt": JSONText.string(lastLimitHit?.text),
    ])
  }

  private static let ordinarySlugs = [
    "anthropic", "cohere", "cursor", "deepseek", "gemini", "github-copilot", "groq", "huggingface", "mistral",
    "notion", "openai", "perplexity", "replicate", "runway", "stability", "together", "windsurf", "xai",
  ]

  /// The last three are a century, the largest 32-bit number, and the largest whole number that JavaScript
  /// holds: as milliseconds it overflows 64 bits.
  private static let awkwardCooldowns: [Int64] = [0, 365, 36_500, 2_147_483_647, 9_007_199_254_740_991]

  /// Makes trackers, at most one per account and provider; the last account stays without.
  ///
  /// `count` is well below the number of accounts times that of providers.
  static func examples(
    count: Int, of accounts: [Account], using generator: inout SplitMix64
  ) -> [Tracker] {
    var providersLeft = accounts.dropLast().map { _ in ordinarySlugs + AwkwardText.providerSlugs }
    var trackers: [Tracker] = []
    while trackers.count < count {
      let account = Int(generator.number(in: 0..<Int64(providersLeft.count)))
      guard !providersLeft[account].isEmpty else { continue }
      let provider = Int(generator.number(in: 0..<Int64(providersLeft[account].count)))
      let tracker = Tracker(
        id: RecordID.make(
          wallMilliseconds: accounts[account].created.milliseconds + Int64(trackers.count), using: &generator),
        accountID: accounts[account].id,
        providerSlug: providersLeft[account].remove(at: provider),
        cooldownDays: cooldownDays(using: &generator),
        lastLimitHit: lastLimitHit(at: trackers.count, using: &generator))
      trackers.append(tracker)
    }
    return trackers
  }

  private static func cooldownDays(using generator: inout SplitMix64) -> Int64 {
    generator.chance(1, in: 12)
      ? generator.element(of: awkwardCooldowns)
      : generator.element(of: [1, 7, 14, 30])
  }

  /// A third was never hit; a few were at an awkward moment.
  private static func lastLimitHit(at index: Int, using generator: inout SplitMix64) -> Moment? {
    let ordinary = Moment.ordinary(using: &generator)
    if index.isMultiple(of: 50) { return generator.element(of: Moment.awkward) }
    return generator.chance(1, in: 3) ? nil : ordinary
  }
}

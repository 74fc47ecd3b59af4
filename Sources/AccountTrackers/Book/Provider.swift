/// A provider whose limit is to be tracked, as an application knows it.
public struct Provider: Hashable, Sendable {
  /// What a cooldown may last when an account is added, in days: a hundred years are more than any provider asks for.
  public static let cooldownDays = 1...36_500

  /// The provider's short name.
  public var slug: String

  /// How long its cooldown lasts, in days of 86,400 seconds.
  public var cooldownDays: Int

  /// Names a provider.
  public init(_ slug: String, cooldownDays: Int) {
    self.slug = slug
    self.cooldownDays = cooldownDays
  }
}

extension [Provider] {
  /// Refuses what no account can have.
  func check() throws(AccountError) {
    var slugs: Set<String> = []
    for (index, provider) in enumerated() {
      guard !provider.slug.isBlank, Provider.cooldownDays ~= provider.cooldownDays else {
        throw .invalidProvider(index: index)
      }
      guard slugs.insert(provider.slug).inserted else { throw .repeatedProvider(index: index) }
    }
  }
}

extension String {
  /// Whether there is nothing to read.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

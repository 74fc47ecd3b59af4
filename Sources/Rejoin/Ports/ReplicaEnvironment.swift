/// Where a replica gets time and randomness from, so that tests and simulations can give it their own.
public struct ReplicaEnvironment: Sendable {
  /// The wall clock, in milliseconds since the Unix epoch.
  public var wallMilliseconds: @Sendable () -> Int64

  /// 64 random bits.
  public var randomBits: @Sendable () -> UInt64

  /// Makes an environment.
  public init(
    wallMilliseconds: @escaping @Sendable () -> Int64, randomBits: @escaping @Sendable () -> UInt64
  ) {
    self.wallMilliseconds = wallMilliseconds
    self.randomBits = randomBits
  }
}

/// The environment's randomness, as Swift's library wants it.
package struct EnvironmentGenerator: RandomNumberGenerator {
  private let environment: ReplicaEnvironment

  /// Draws from `environment`.
  package init(_ environment: ReplicaEnvironment) {
    self.environment = environment
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 { environment.randomBits() }
}

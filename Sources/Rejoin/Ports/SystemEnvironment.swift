#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ReplicaEnvironment {
  /// The system's wall clock and random number generator: the one place of the library that reads either.
  public static let system = ReplicaEnvironment(
    wallMilliseconds: {
      var now = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &now)
      return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    },
    randomBits: {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    })
}

import RejoinCore
import Testing

/// Two replicas speak the highest format that both know, or none.
struct FormatNegotiationTests {
  @Test func `peers agree on the highest format that both know`() {
    let own = DeltaFormat.supported
    #expect(DeltaFormat.negotiated(with: own) == own.upperBound)
    #expect(DeltaFormat.negotiated(with: own.lowerBound...own.upperBound + 7) == own.upperBound)
  }

  @Test func `peers without a format in common have none`() {
    let own = DeltaFormat.supported
    #expect(DeltaFormat.negotiated(with: own.upperBound + 1...own.upperBound + 2) == nil)
    #expect(DeltaFormat.negotiated(with: own.lowerBound - 2...own.lowerBound - 1) == nil)
  }
}

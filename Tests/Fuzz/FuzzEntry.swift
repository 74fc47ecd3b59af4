#if FUZZING
import Glibc

private let target: FuzzTarget = {
  let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    fatalError("set FUZZ_TARGET to one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// What libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  if let broken = target.run(unsafe Array(UnsafeBufferPointer(start: start, count: count))) {
    fatalError("broken: \(broken)")
  }
  return 0
}
#endif

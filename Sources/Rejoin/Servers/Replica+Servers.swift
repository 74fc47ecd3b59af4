import RejoinCore

extension Replica {
  /// The names of the servers with which this file was ever exchanged, in order of their bytes.
  ///
  /// - Complexity: O(n) in the servers.
  package func servers() throws -> [String] {
    try reading { engine in
      var servers: [String] = []
      try engine.store.forEachLocal(in: Proxy.space, from: []) { key, _ in
        servers.append(String(decoding: key, as: UTF8.self))
        return true
      }
      return servers
    }
  }
}

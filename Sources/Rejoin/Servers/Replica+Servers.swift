import RejoinCore

extension Replica {
  /// Says that this replica is to exchange with a server: from now on it keeps what its adapter will ask for.
  package func expectServer() { withEngine { $0.expectsServer = true } }

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

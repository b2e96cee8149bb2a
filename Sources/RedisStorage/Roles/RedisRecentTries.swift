package import Bridge

/// The attempts that all nodes share. The server's own clock ends each, so clocks that differ change nothing.
package struct RedisRecentTries: RecentTries {
    private let client: RedisClient
    private let keys: RedisKeys

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String) {
        self.client = client
        keys = RedisKeys(prefix: prefix)
    }

    package func isFirst(_ id: TokenID, within window: Duration) async throws -> Bool {
        let key = key(of: id)
        let command = RedisCommand("SET", key, "1", "NX", "PX", "\(max(1, window.inMilliseconds))", key: key)
        switch try await client.send([command])[0] {
        case .status: return true
        case .null: return false
        case let reply: throw reply.failure
        }
    }

    package func takeBack(_ id: TokenID) async throws {
        let key = key(of: id)
        if let error = try await client.send([RedisCommand("DEL", key, key: key)])[0].serverError {
            throw StorageError.redis(RedisConnectionError.refused(error))
        }
    }

    private func key(of id: TokenID) -> String { keys.recentTry(id) }
}

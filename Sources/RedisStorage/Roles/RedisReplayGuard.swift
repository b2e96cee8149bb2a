package import Bridge

/// The replay guard that all nodes share.
package struct RedisReplayGuard: ReplayGuard {
    /// Nodes' clocks may differ by ±5 s, so one node's expired token may live on for 10 s on another.
    static let margin = Duration.seconds(10)

    private let client: RedisClient
    private let keys: RedisKeys

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String) {
        self.client = client
        keys = RedisKeys(prefix: prefix)
    }

    package func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) async throws -> ReplayClaim {
        let key = keys.redeemed(id)
        let life = max(0, (expiry - now).inMilliseconds) + Self.margin.inMilliseconds
        let command = RedisCommand("SET", key, "1", "NX", "PX", "\(life)", key: key)
        let reply = try await TraceStep.replayGuard.run { span in
            span?.note(.database, "redis")
            return try await client.send([command])[0]
        }
        switch reply {
        case .status: return .claimed
        case .null: return .claimedBefore
        default: throw reply.failure
        }
    }
}

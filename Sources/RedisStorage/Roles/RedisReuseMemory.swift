package import Bridge
import OAuth2

/// The memory of seen values that all nodes share: one sorted set, by the instant at which each is forgotten.
package struct RedisReuseMemory: ReuseMemory {
    private let client: RedisClient
    private let key: String
    private let lifetime: Duration
    private let capacity: Int
    private let clock: RedisRateLimiter.Clock

    /// - Parameters:
    ///   - prefix: in front of the key, so that a server can be shared.
    ///   - name: what is remembered.
    ///   - capacity: values at once, of some 120 bytes each.
    package init(
        client: RedisClient, prefix: String, name: String, lifetime: Duration, capacity: Int,
        clock: RedisRateLimiter.Clock = .server
    ) {
        self.client = client
        key = RedisKeys(prefix: prefix).memory(name)
        self.lifetime = lifetime
        self.capacity = max(1, capacity)
        self.clock = clock
    }

    package func note(_ value: String, at now: Timestamp) async throws -> Novelty {
        let digest = SHA256Hash(of: value).base64URLOfHalf
        var arguments = [digest, "\(lifetime.inMilliseconds)", "\(capacity)"]
        if case .parameter = clock { arguments.append("\(now.milliseconds)") }
        let call = ScriptCall(script: .noteUse, key: key, arguments: arguments)
        switch try await client.run([call])[0] {
        case .integer(0): return .fresh
        case .integer(1): return .seen
        case .integer(2): return .full
        case let reply: throw reply.failure
        }
    }
}

extension RedisScript {
    /// One value's step, atomic on the server, on the server's clock.
    ///
    /// `KEYS[1]` the memory; `ARGV` the value's digest, the milliseconds that it is remembered, how many are at once, and
    /// in tests the instant. The answer is 0 for a fresh value, 1 for a seen one, 2 when there is no room.
    static let noteUse = RedisScript(
        """
        \(now(orArgument: 4))
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
        if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 1 end
        if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 2 end
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        return 0
        """)
}

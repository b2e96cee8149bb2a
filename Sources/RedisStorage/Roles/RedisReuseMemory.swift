package import Bridge
import Crypto
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
        client: RedisClient, prefix: String = "drawbridge:", name: String, lifetime: Duration, capacity: Int,
        clock: RedisRateLimiter.Clock = .server
    ) {
        self.client = client
        key = "\(prefix)m:\(name)"
        self.lifetime = lifetime
        self.capacity = max(1, capacity)
        self.clock = clock
    }

    package func note(_ value: String, at now: Timestamp) async throws -> Novelty {
        let digest = Base64URL.encode(Array(SHA256.hash(data: Array(value.utf8)).prefix(16)))
        var arguments = [digest, "\(lifetime.inMilliseconds)", "\(capacity)"]
        if case .parameter = clock { arguments.append("\(now.milliseconds)") }
        let call = ScriptCall(
            script: .init(text: ReuseMemoryScript.text, digest: ReuseMemoryScript.digest), key: key,
            arguments: arguments)
        switch try await client.run([call])[0] {
        case .integer(0): return .fresh
        case .integer(1): return .seen
        case .integer(2): return .full
        case let reply: throw reply.failure
        }
    }
}

/// One value's step, atomic on the server, on the server's clock.
enum ReuseMemoryScript {
    /// `KEYS[1]` the memory; `ARGV` the value's digest, the milliseconds that it is remembered, how many are at once, and
    /// in tests the instant. The answer is 0 for a fresh value, 1 for a seen one, 2 when there is no room.
    static let text = """
        local now = tonumber(ARGV[4])
        if not now then
            local time = redis.call('TIME')
            now = time[1] * 1000 + math.floor(time[2] / 1000)
        end
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
        if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 1 end
        if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 2 end
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        return 0
        """

    /// The name by which a server that has run the script knows it.
    static let digest = ScriptDigest.of(text)
}

package import Bridge
import Crypto
import OAuth2

/// The rate limiter that all nodes share: one script a bucket, all buckets of a request in one round trip.
package struct RedisRateLimiter: RateLimiter {
    package enum Clock: Sendable {
        /// Redis's own: the nodes' clocks do not matter.
        case server
        /// The parameter of each call, for tests that decide what time it is.
        case parameter
    }

    private let client: RedisClient
    private let prefix: String
    private let clock: Clock

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String = "drawbridge:", clock: Clock = .server) {
        self.client = client
        self.prefix = prefix
        self.clock = clock
    }

    package func take(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        try await decide(keys, at: now, .take)
    }

    package func peek(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        try await decide(keys, at: now, .look)
    }

    /// What the scripts are asked for, as they read it.
    private enum Step: String {
        case take = "1"
        case look = "0"
        case giveBack = "-1"
    }

    private func decide(_ keys: [RateLimitKey], at now: Timestamp, _ step: Step) async throws -> RateLimitDecision {
        guard !keys.isEmpty else { return .allowed }
        let replies = try await client.run(keys.map { call(for: $0, at: now, step) })
        var decision = RateLimitDecision.allowed
        var longest: Int64 = 0
        var granted: [RateLimitKey] = []
        for (key, reply) in zip(keys, replies) {
            let wait = try Self.wait(in: reply)
            if wait == 0, case .bucket = key.rule { granted.append(key) }
            guard wait > longest else { continue }
            longest = wait
            decision = .exceeded(retryAfter: .milliseconds(wait), scope: key.scope)
        }
        if step == .take, decision != .allowed, !granted.isEmpty {
            // Refused it is in any case; a bucket that could not be reached now fills up by itself.
            _ = try? await client.run(granted.map { call(for: $0, at: now, .giveBack) })
        }
        return decision
    }

    private func call(for key: RateLimitKey, at now: Timestamp, _ step: Step) -> ScriptCall {
        let script: ScriptCall.Script
        var arguments: [String]
        switch key.rule {
        case .bucket(let bucket):
            script = .init(text: RateLimitScript.text, digest: RateLimitScript.digest)
            arguments = ["\(bucket.refillInterval.inMilliseconds)", "\(bucket.burst)"]
        case .window(let window):
            script = .init(text: AttemptWindowScript.text, digest: AttemptWindowScript.digest)
            arguments = [
                "\(window.count)", "\(window.duration.inMilliseconds)", "\(window.block.inMilliseconds)",
            ]
        }
        arguments.append(step.rawValue)
        if case .parameter = clock { arguments.append("\(now.milliseconds)") }
        // A digest keeps addresses and user names out of Redis, and keys short; 128 bits do not collide.
        let digest = Base64URL.encode(Array(SHA256.hash(data: Array(key.value.utf8)).prefix(16)))
        return ScriptCall(script: script, key: "\(prefix)l:\(key.scope):\(digest)", arguments: arguments)
    }

    private static func wait(in reply: RedisReply) throws -> Int64 {
        switch reply {
        case .integer(let wait): return wait
        case .error(let error): throw StorageError.redis(RedisConnectionError.refused(error))
        default: throw StorageError.redis(RedisConnectionError.unexpectedReply)
        }
    }
}

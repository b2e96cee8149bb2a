package import Bridge
import OAuth2

/// The rate limiter that all nodes share: one script per bucket, all buckets of a request in one round trip.
package struct RedisRateLimiter: RateLimiter {
    /// Which time the buckets fill by.
    package enum Clock: Sendable {
        /// Redis's own: the nodes' clocks do not matter.
        case server
        /// The parameter of each call, for tests that decide what time it is.
        case parameter
    }

    private let client: RedisClient
    private let keys: RedisKeys
    private let clock: Clock

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String, clock: Clock = .server) {
        self.client = client
        keys = RedisKeys(prefix: prefix)
        self.clock = clock
    }

    package func take(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        try await decide(keys, at: now, .take)
    }

    package func peek(_ keys: [RateLimitKey], at now: Timestamp) async throws -> RateLimitDecision {
        try await decide(keys, at: now, .look)
    }

    package func giveBack(_ keys: [RateLimitKey], at now: Timestamp) async throws {
        guard !keys.isEmpty else { return }
        for reply in try await client.run(keys.map({ call(for: $0, at: now, .giveBack) })) {
            _ = try Self.wait(in: reply)
        }
    }

    /// What the scripts are asked for, as they read it.
    private enum Step: String {
        case take = "1"
        case look = "0"
        case giveBack = "-1"
    }

    private func decide(_ keys: [RateLimitKey], at now: Timestamp, _ step: Step) async throws -> RateLimitDecision {
        guard !keys.isEmpty else { return .allowed }
        let replies = try await TraceStep.rateLimits.run { span in
            span?.note(.database, "redis")
            return try await client.run(keys.map { call(for: $0, at: now, step) })
        }
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
        let script: RedisScript
        var arguments: [String]
        switch key.rule {
        case .bucket(let bucket):
            script = .tokenBucket
            arguments = [String(bucket.refillInterval.inMilliseconds), String(bucket.burst)]
        case .window(let window):
            script = .attemptWindow
            arguments = [
                String(window.count), String(window.duration.inMilliseconds), String(window.block.inMilliseconds),
            ]
        }
        arguments.append(step.rawValue)
        if case .parameter = clock { arguments.append("\(now.milliseconds)") }
        // A digest keeps addresses and user names out of Redis, and keys short; 128 bits do not collide.
        let digest = SHA256Hash(of: key.value).base64URLOfHalf
        return ScriptCall(script: script, key: keys.limit(key.scope, digest), arguments: arguments)
    }

    /// In milliseconds: three decades, which neither limit nor interval comes near.
    static let longestWait: UInt64 = 1_000_000_000_000

    private static func wait(in reply: RedisReply) throws -> Int64 {
        switch reply {
        // A negative one would let all callers through, one beyond all limits none; no bucket makes either.
        case .integer(let wait) where wait >= 0 && wait.magnitude <= longestWait: return wait
        default: throw reply.failure
        }
    }
}

extension RedisScript {
    /// One bucket's step, atomic on the server.
    ///
    /// Follows the rule of ``InProcessRateLimiter``: a bucket is the instant at which it is full again, and a full one
    /// has no key. The clock is the server's, so that all nodes count alike.
    ///
    /// `KEYS[1]` the bucket; `ARGV` the milliseconds for one token, the burst, 1 to take, 0 to look or -1 to
    /// give one back, and in tests the instant. The answer is the wait in milliseconds, 0 for none.
    static let tokenBucket = RedisScript(
        """
        local interval = tonumber(ARGV[1])
        local capacity = interval * tonumber(ARGV[2])
        \(now(orArgument: 4))
        local full = tonumber(redis.call('GET', KEYS[1]) or now)
        if full < now then full = now end
        -- A server whose clock is behind its predecessor's must not keep anyone waiting for the difference.
        if full > now + capacity then full = now + capacity end
        if ARGV[3] == '-1' then
            full = full - interval
            if full > now then
                redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', string.format('%.0f', full - now))
            else
                redis.call('DEL', KEYS[1])
            end
            return 0
        end
        local after = full + interval
        local wait = after - now - capacity
        if wait > 0 then return wait end
        if ARGV[3] == '1' then
            redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', string.format('%.0f', after - now))
        end
        return 0
        """)

    /// One ``AttemptWindow``'s step, atomic on the server: the same rule as in process, on the server's clock.
    ///
    /// `KEYS[1]` the window; `ARGV` the attempts, the window's and the block's milliseconds, 1 to take, 0 to look or -1
    /// to give one back, and in tests the instant. The value is the attempts so far and when they are forgotten; `-1`
    /// attempts are a block. The answer is the wait in milliseconds, 0 for none.
    static let attemptWindow = RedisScript(
        """
        \(now(orArgument: 5))
        local count, ends = 0, 0
        local value = redis.call('GET', KEYS[1])
        if value then
            local split = string.find(value, ' ', 1, true)
            count = tonumber(string.sub(value, 1, split - 1))
            ends = tonumber(string.sub(value, split + 1))
        end
        local window, block = tonumber(ARGV[2]), tonumber(ARGV[3])
        -- A server whose clock is behind its predecessor's must not keep anyone waiting for the difference.
        local longest = math.max(window, block)
        if count < 0 and ends > now + longest then ends = now + longest end
        if count >= 0 and ends > now + window then ends = now + window end
        -- One whose attempts were all given back begins with its next, as in process.
        if now >= ends or count == 0 then count = 0; ends = now + window end
        if ARGV[4] == '-1' then
            if count > 0 then
                redis.call('SET', KEYS[1], (count - 1) .. ' ' .. string.format('%.0f', ends), 'PX',
                    string.format('%.0f', ends - now))
            end
            return 0
        end
        if count < 0 then return ends - now end
        if count >= tonumber(ARGV[1]) then
            -- Never before the window would have ended: one attempt too many gains nobody another window.
            ends = math.max(ends, now + block)
            if ARGV[4] == '1' then
                redis.call('SET', KEYS[1], '-1 ' .. string.format('%.0f', ends), 'PX',
                    string.format('%.0f', ends - now))
            end
            return ends - now
        end
        if ARGV[4] == '1' then
            redis.call('SET', KEYS[1], (count + 1) .. ' ' .. string.format('%.0f', ends), 'PX',
                string.format('%.0f', ends - now))
        end
        return 0
        """)
}

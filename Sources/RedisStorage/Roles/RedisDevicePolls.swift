package import Bridge
import OAuth2

/// The interval of waiting devices, kept for all nodes: one small value a device, gone with it.
package struct RedisDevicePolls: DevicePolls {
    private let client: RedisClient
    private let keys: RedisKeys
    private let clock: RedisRateLimiter.Clock

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String, clock: RedisRateLimiter.Clock = .server) {
        self.client = client
        keys = RedisKeys(prefix: prefix)
        self.clock = clock
    }

    package func poll(_ digest: String, until expiry: Timestamp, at now: Timestamp) async throws -> DevicePoll {
        var arguments = [
            "\(DevicePoll.firstInterval.inMilliseconds)", "\(DevicePoll.step.inMilliseconds)",
            "\(DevicePoll.tolerance.inMilliseconds)", "\(max(1, (expiry - now).inMilliseconds))",
        ]
        if case .parameter = clock { arguments.append("\(now.milliseconds)") }
        let call = ScriptCall(script: .devicePoll, key: keys.waitingDevice(digest), arguments: arguments)
        switch try await client.run([call])[0] {
        // Too soon is told by the sign, so that the answer is one number. One that no poll makes comes from a value
        // that another program wrote.
        case .integer(let interval) where interval != 0 && interval.magnitude <= RedisRateLimiter.longestWait:
            return DevicePoll(isTooSoon: interval < 0, interval: .milliseconds(Int64(interval.magnitude)))
        case let reply: throw reply.failure
        }
    }
}

extension RedisScript {
    /// One request's step, atomic on the server, on the server's clock.
    ///
    /// `KEYS[1]` the device; `ARGV` the first interval, what it grows by, what a request may be early, how long it is
    /// remembered, in milliseconds, and in tests the instant. The value is the interval and from when on the next request
    /// may come; the answer is the interval, negative when this one came too soon.
    static let devicePoll = RedisScript(
        """
        \(now(orArgument: 5))
        local interval, nextAt = tonumber(ARGV[1]), 0
        local value = redis.call('GET', KEYS[1])
        if value then
            local split = string.find(value, ' ', 1, true)
            interval = tonumber(string.sub(value, 1, split - 1))
            nextAt = tonumber(string.sub(value, split + 1))
        end
        -- Only a clock that is ahead of this server's, such as its predecessor's, asks for more than the interval: a
        -- device that kept to it must not be slowed down for the difference.
        if nextAt > now + interval then nextAt = now end
        local early = now + tonumber(ARGV[3]) < nextAt
        if early then interval = interval + tonumber(ARGV[2]) end
        redis.call('SET', KEYS[1], string.format('%.0f %.0f', interval, now + interval), 'PX', ARGV[4])
        if early then return -interval end
        return interval
        """)
}

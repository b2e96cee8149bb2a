import RedisStorage

// Each role as a service has it whose operator sets no prefix. The program itself must name one, so that none of the
// roles can be forgotten when `redis.prefix` is set: hence no default beside the roles.

extension RedisReplayGuard {
    init(client: RedisClient) { self.init(client: client, prefix: RedisKeys.standardPrefix) }
}

extension RedisRateLimiter {
    init(client: RedisClient, clock: Clock = .server) {
        self.init(client: client, prefix: RedisKeys.standardPrefix, clock: clock)
    }
}

extension RedisReuseMemory {
    init(
        client: RedisClient, name: String, lifetime: Duration, capacity: Int, clock: RedisRateLimiter.Clock = .server
    ) {
        self.init(
            client: client, prefix: RedisKeys.standardPrefix, name: name, lifetime: lifetime, capacity: capacity,
            clock: clock)
    }
}

extension RedisDevicePolls {
    init(client: RedisClient, clock: RedisRateLimiter.Clock = .server) {
        self.init(client: client, prefix: RedisKeys.standardPrefix, clock: clock)
    }
}

extension RedisRecentTries {
    init(client: RedisClient) { self.init(client: client, prefix: RedisKeys.standardPrefix) }
}

extension RedisCrossDeviceStore {
    init(client: RedisClient) { self.init(client: client, prefix: RedisKeys.standardPrefix) }
}

extension RedisSelfIssuedTransactions {
    init(client: RedisClient) { self.init(client: client, prefix: RedisKeys.standardPrefix) }
}

extension RedisRevocationChannel {
    init(client: RedisClient) { self.init(client: client, prefix: RedisKeys.standardPrefix) }
}

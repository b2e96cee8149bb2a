import Bridge

extension RedisClient {
    /// Whether Redis lets the service do what it needs: a key of its own is written and deleted again, by a script as
    /// most of what the service writes. One that is full, read-only or gives too few rights answers
    /// ``checkAvailable()`` all the same.
    /// - Parameter prefix: in front of the key, as of all others.
    package func checkUsable(prefix: String) async throws {
        let call = ScriptCall(script: .check, key: RedisKeys(prefix: prefix).check, arguments: ["1000"])
        // Either is a right of its own. The first teaches the server what the second names.
        for reply in try await send([call.byText, call.byDigest]) {
            guard reply == .integer(1) else { throw reply.failure }
        }
    }
}

extension RedisScript {
    /// Does once what the scripts of the roles do, and leaves nothing.
    ///
    /// `KEYS[1]` a key that is not used otherwise; `ARGV` its milliseconds to live, should it be left over because
    /// something was refused halfway. The answer is 1.
    static let check = RedisScript(
        """
        redis.call('TIME')
        redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
        redis.call('PEXPIRE', KEYS[1], ARGV[1])
        redis.call('GET', KEYS[1])
        redis.call('GETRANGE', KEYS[1], 0, 1)
        redis.call('DEL', KEYS[1])
        redis.call('ZADD', KEYS[1], 1, '1')
        redis.call('PEXPIRE', KEYS[1], ARGV[1])
        redis.call('ZSCORE', KEYS[1], '1')
        redis.call('ZCARD', KEYS[1])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '+inf')
        redis.call('DEL', KEYS[1])
        return 1
        """)
}

package import Bridge

/// Sign-ins that wait for a phone, for all nodes. What Redis loses with its memory has to be begun again.
package struct RedisSelfIssuedTransactions: SelfIssuedTransactionStore {
    private let client: RedisClient
    private let keys: RedisKeys

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String) {
        self.client = client
        keys = RedisKeys(prefix: prefix)
    }

    package func keepSelfIssued(
        _ record: SelfIssuedRecord, as digest: String, at now: Timestamp
    ) async throws {
        let key = key(of: digest)
        _ = try await text(RedisCommand("SET", key, record.text, "PX", "\(Self.life(record, at: now))", key: key))
    }

    package func replaceSelfIssued(
        with record: SelfIssuedRecord, as digest: String, at now: Timestamp
    ) async throws -> Bool {
        let call = ScriptCall(
            script: .replaceSelfIssued, key: key(of: digest),
            arguments: [
                record.text, "\(now.milliseconds)", "\(record.expiresAt.milliseconds)",
                "\(Self.life(record, at: now))",
            ])
        switch try await client.run([call])[0] {
        case .integer(let replaced): return replaced == 1
        case let reply: throw reply.failure
        }
    }

    package func takeSelfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord? {
        let call = ScriptCall(script: .takeSelfIssued, key: key(of: digest), arguments: [])
        return alive(try Self.text(in: try await client.run([call])[0]), at: now)
    }

    package func selfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord? {
        let key = key(of: digest)
        return alive(try await text(RedisCommand("GET", key, key: key)), at: now)
    }

    private func alive(_ text: String?, at now: Timestamp) -> SelfIssuedRecord? {
        guard let record = text.flatMap(SelfIssuedRecord.init(kept:)) else { return nil }
        return now < record.expiresAt ? record : nil
    }

    private func key(of digest: String) -> String { keys.selfIssued(digest) }

    /// In milliseconds; Redis takes none below 1.
    private static func life(_ record: SelfIssuedRecord, at now: Timestamp) -> Int64 {
        max(1, (record.expiresAt - now).inMilliseconds)
    }

    private func text(_ command: RedisCommand) async throws -> String? {
        try Self.text(in: try await client.send([command])[0])
    }

    /// - Returns: `nil` when there is no such key.
    private static func text(in reply: RedisReply) throws -> String? {
        if let error = reply.serverError { throw StorageError.redis(RedisConnectionError.refused(error)) }
        if case .null = reply { return nil }
        guard let text = reply.text else { throw StorageError.redis(RedisConnectionError.unexpectedReply) }
        return text
    }
}

extension RedisScript {
    /// `KEYS[1]` the transaction; `ARGV` what takes its place, the instant, the end of the new one, and its
    /// milliseconds to live. A value begins with its end. The answer is 1 when it was replaced.
    static let replaceSelfIssued = RedisScript(
        """
        local old = redis.call('GET', KEYS[1])
        if not old then return 0 end
        local ends = tonumber(string.match(old, '^(%d+) '))
        if not ends or ends <= tonumber(ARGV[2]) or ends < tonumber(ARGV[3]) then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
        return 1
        """)

    /// As `GETDEL`, which Redis has since 6.2 alone. `KEYS[1]` the transaction.
    static let takeSelfIssued = RedisScript(
        """
        local kept = redis.call('GET', KEYS[1])
        redis.call('DEL', KEYS[1])
        return kept
        """)
}

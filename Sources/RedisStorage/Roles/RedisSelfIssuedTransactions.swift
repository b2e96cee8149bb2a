package import Bridge

/// Sign-ins that wait for a phone, for all nodes. What Redis loses with its memory has to be begun anew.
package struct RedisSelfIssuedTransactions: SelfIssuedTransactionStore {
    private let client: RedisClient
    private let prefix: String

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String = "drawbridge:") {
        self.client = client
        self.prefix = prefix
    }

    package func keepSelfIssued(
        _ record: SelfIssuedRecord, as digest: String, at now: Timestamp
    ) async throws {
        let life = max(1, (record.expiresAt - now).inMilliseconds)
        let key = key(of: digest)
        _ = try await text(RedisCommand("SET", key, record.text, "PX", "\(life)", key: key))
    }

    package func takeSelfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord? {
        // As GETDEL, which Redis has since 6.2 alone.
        let key = key(of: digest)
        let take = "local kept = redis.call('GET', KEYS[1]) redis.call('DEL', KEYS[1]) return kept"
        return alive(try await text(RedisCommand("EVAL", take, "1", key, key: key)), at: now)
    }

    package func selfIssued(_ digest: String, at now: Timestamp) async throws -> SelfIssuedRecord? {
        let key = key(of: digest)
        return alive(try await text(RedisCommand("GET", key, key: key)), at: now)
    }

    private func alive(_ text: String?, at now: Timestamp) -> SelfIssuedRecord? {
        guard let record = text.flatMap(SelfIssuedRecord.init(kept:)) else { return nil }
        return now < record.expiresAt ? record : nil
    }

    private func key(of digest: String) -> String { "\(prefix)siop:tx:\(digest)" }

    /// - Returns: the reply; `nil` when there is no such key.
    private func text(_ command: RedisCommand) async throws -> String? {
        let reply = try await client.send([command])[0]
        if let error = reply.serverError { throw StorageError.redis(RedisConnectionError.refused(error)) }
        if case .null = reply { return nil }
        guard let text = reply.text else { throw StorageError.redis(RedisConnectionError.unexpectedReply) }
        return text
    }
}

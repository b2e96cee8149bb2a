package import Bridge
import OAuth2

/// Sign-ins across devices in Redis, where all nodes see them: one key for each, changed by one script.
package struct RedisCrossDeviceStore: CrossDeviceStore {
    /// Beyond a record's end, so that nodes whose clocks differ find it expired and not gone.
    static let margin = Duration.seconds(10)
    /// Keys asked for in one go.
    private static let batch = 500

    private let client: RedisClient
    private let keys: RedisKeys

    /// - Parameter prefix: in front of every key, so that a server can be shared.
    package init(client: RedisClient, prefix: String) {
        self.client = client
        keys = RedisKeys(prefix: prefix)
    }

    package func addCrossDevice(_ record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool {
        try await write(record, expecting: "", at: now)
    }

    package func replaceCrossDevice(with record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool {
        guard record.version > 0 else { return false }
        return try await write(record, expecting: "\(record.version - 1)", at: now)
    }

    /// - Parameter version: that the record under the key must have; empty for none that lives.
    private func write(
        _ record: CrossDeviceRecord, expecting version: String, at now: Timestamp
    ) async throws -> Bool {
        let life = max(0, (record.expiresAt - now).inMilliseconds) + Self.margin.inMilliseconds
        let call = ScriptCall(
            script: .replaceCrossDevice, key: key(record.key),
            arguments: [
                "\(record.version) \(record.expiresAt.milliseconds) \(record.content)", "\(now.milliseconds)",
                "\(life)", version,
            ])
        switch try await client.run([call])[0] {
        case .integer(let written): return written == 1
        case let reply: throw reply.failure
        }
    }

    package func crossDevice(_ key: String, at now: Timestamp) async throws -> CrossDeviceRecord? {
        let place = self.key(key)
        switch try await client.send([RedisCommand("GET", place, key: place)])[0] {
        case .null: return nil
        case .bulk(let bytes):
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let version = Int64(parts[0]), let expiry = Int64(parts[1]) else {
                throw StorageError.corrupt("a cross-device record cannot be read")
            }
            let record = CrossDeviceRecord(
                key: key, version: version, content: String(parts[2]), expiresAt: Timestamp(milliseconds: expiry))
            return now < record.expiresAt ? record : nil
        case let reply: throw reply.failure
        }
    }

    package func removeCrossDevice(_ key: String) async throws {
        let place = self.key(key)
        if let error = try await client.send([RedisCommand("DEL", place, key: place)])[0].serverError {
            throw StorageError.redis(RedisConnectionError.refused(error))
        }
    }

    package func movedCrossDevices(among keys: Set<String>, at now: Timestamp) async throws -> [String: Int64] {
        var moved: [String: Int64] = [:]
        let keys = Array(keys)
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            let part = keys[start..<min(start + Self.batch, keys.count)]
            // The beginning alone: what the record says is not asked for.
            let replies = try await client.send(
                part.map { RedisCommand("GETRANGE", key($0), "0", "40", key: key($0)) })
            for (key, reply) in zip(part, replies) {
                switch reply {
                case .bulk(let bytes):
                    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 2)
                    guard parts.count >= 2, let version = Int64(parts[0]), let expiry = Int64(parts[1]), version > 0,
                        now < Timestamp(milliseconds: expiry)
                    else { continue }
                    moved[key] = version
                default: throw reply.failure
                }
            }
        }
        return moved
    }

    /// Redis forgets by itself.
    package func purgeCrossDevices(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }

    private func key(_ key: String) -> String { keys.crossDevice(key) }
}

extension RedisScript {
    /// Compare-and-set of one record, atomic on the server.
    ///
    /// `KEYS[1]` the record; `ARGV` the new value, the instant, its milliseconds to live, and the version that must be
    /// there, or nothing where none may live. A value is version, end and content. The answer is 1 when it was written.
    static let replaceCrossDevice = RedisScript(
        """
        local old = redis.call('GET', KEYS[1])
        local version = ''
        if old then
            local found, ends = string.match(old, '^(%d+) (%d+) ')
            if found and tonumber(ends) > tonumber(ARGV[2]) then version = found end
        end
        if version ~= ARGV[4] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
        return 1
        """)
}

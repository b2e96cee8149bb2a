import Crypto

/// One bucket's step, atomic on the server.
///
/// The same rule as ``InProcessRateLimiter``: a bucket is the instant at which it is full again, and a full one is no
/// key at all. The clock is the server's, so that all nodes count alike.
enum RateLimitScript {
    /// `KEYS[1]` the bucket; `ARGV` the milliseconds for one token, the burst, 1 to take, 0 to look or -1 to
    /// give one back, and in tests the instant. The answer is the wait in milliseconds, 0 for none.
    static let text = """
        local interval = tonumber(ARGV[1])
        local capacity = interval * tonumber(ARGV[2])
        local now = tonumber(ARGV[4])
        if not now then
            local time = redis.call('TIME')
            now = time[1] * 1000 + math.floor(time[2] / 1000)
        end
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
        """

    /// The name by which a server that has run the script knows it.
    static let digest = ScriptDigest.of(text)
}

/// SHA-1 in hexadecimal: how `EVALSHA` names a script.
enum ScriptDigest {
    static func of(_ text: String) -> String {
        let hex = Array("0123456789abcdef".utf8)
        return String(
            decoding: Insecure.SHA1.hash(data: Array(text.utf8)).flatMap { [hex[Int($0 >> 4)], hex[Int($0 & 15)]] },
            as: UTF8.self)
    }
}

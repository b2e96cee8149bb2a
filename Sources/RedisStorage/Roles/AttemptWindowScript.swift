/// One ``AttemptWindow``'s step, atomic on the server: the same rule as in process, on the server's clock.
enum AttemptWindowScript {
    /// `KEYS[1]` the window; `ARGV` the attempts, the window's and the block's milliseconds, 1 to take or 0 to look,
    /// and in tests the instant. The value is the attempts so far and when they are forgotten; `-1` attempts are a
    /// block. The answer is the wait in milliseconds, 0 for none.
    static let text = """
        local now = tonumber(ARGV[5])
        if not now then
            local time = redis.call('TIME')
            now = time[1] * 1000 + math.floor(time[2] / 1000)
        end
        local count, ends = 0, 0
        local value = redis.call('GET', KEYS[1])
        if value then
            local split = string.find(value, ' ', 1, true)
            count = tonumber(string.sub(value, 1, split - 1))
            ends = tonumber(string.sub(value, split + 1))
        end
        local window, block = tonumber(ARGV[2]), tonumber(ARGV[3])
        -- A server whose clock is behind its predecessor's must not keep anyone waiting for the difference.
        if count < 0 and ends > now + block then ends = now + block end
        if count >= 0 and ends > now + window then ends = now + window end
        if now >= ends then count = 0; ends = now + window end
        if count < 0 then return ends - now end
        if count >= tonumber(ARGV[1]) then
            if ARGV[4] == '1' then
                redis.call('SET', KEYS[1], '-1 ' .. string.format('%.0f', now + block), 'PX', ARGV[3])
            end
            return block
        end
        if ARGV[4] == '1' then
            redis.call('SET', KEYS[1], (count + 1) .. ' ' .. string.format('%.0f', ends), 'PX',
                string.format('%.0f', ends - now))
        end
        return 0
        """

    /// The name by which a server that has run the script knows it.
    static let digest = ScriptDigest.of(text)
}

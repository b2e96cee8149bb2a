/// Where a cluster node sends us instead: `MOVED 3999 127.0.0.1:6381` for good, `ASK …` for this once.
struct RedisRedirect: Hashable, Sendable {
    let slot: Int
    let address: RedisAddress
    let isForGood: Bool

    /// - Parameter origin: who said it; an empty host means the same host.
    /// - Returns: `nil` for other errors.
    init?(_ error: RedisServerError, from origin: RedisAddress) {
        guard error.code == "MOVED" || error.code == "ASK" else { return nil }
        let words = error.detail.split(separator: " ")
        guard words.count == 2, let slot = Int(words[0]), (0..<HashSlot.count).contains(slot),
            let address = RedisAddress(hostAndPort: words[1])
        else { return nil }
        self.slot = slot
        self.address = address.host.isEmpty ? RedisAddress(host: origin.host, port: address.port) : address
        isForGood = error.code == "MOVED"
    }
}

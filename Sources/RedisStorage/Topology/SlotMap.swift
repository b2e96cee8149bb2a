/// Which node serves which slot.
struct SlotMap: Sendable {
    private var nodes: [RedisAddress] = []
    /// Per slot an index into `nodes`; -1 while no node serves it.
    private var owners = [Int16](repeating: -1, count: HashSlot.count)

    init() {}

    /// From the reply to `CLUSTER SLOTS`: arrays of first slot, last slot, master, replicas.
    /// - Parameter origin: who was asked; a node that does not know its own host leaves it empty.
    init?(_ reply: RedisReply, from origin: RedisAddress) {
        guard let ranges = reply.elements, !ranges.isEmpty else { return nil }
        for range in ranges {
            guard let fields = range.elements, fields.count >= 3, let first = fields[0].integerValue,
                let last = fields[1].integerValue, first >= 0, first <= last, last < Int64(HashSlot.count),
                let master = fields[2].elements, master.count >= 2, let port = master[1].integerValue,
                (1...65_535).contains(port)
            else { return nil }
            let host = master[0].text ?? ""
            let address = RedisAddress(host: host.isEmpty ? origin.host : host, port: Int(port))
            for slot in Int(first)...Int(last) { self[slot] = address }
        }
    }

    var addresses: [RedisAddress] { nodes }

    subscript(slot: Int) -> RedisAddress? {
        get { owners[slot] < 0 ? nil : nodes[Int(owners[slot])] }
        set {
            guard let newValue else {
                owners[slot] = -1
                return
            }
            if let index = nodes.firstIndex(of: newValue) {
                owners[slot] = Int16(index)
            } else if nodes.count < Int(Int16.max) {
                nodes.append(newValue)
                owners[slot] = Int16(nodes.count - 1)
            }
        }
    }
}

/// Which of a cluster's 16384 slots a key belongs to (Redis Cluster specification, "Key distribution model").
enum HashSlot {
    static let count = 16_384

    static func of(_ key: String) -> Int {
        let bytes = Array(key.utf8)
        return Int(crc16(tag(in: bytes[...])) % UInt16(count))
    }

    /// What is between the first `{` and the next `}`, unless that is nothing; otherwise the whole key.
    private static func tag(in key: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        else { return key }
        return key[(open + 1)..<close]
    }

    /// CRC-16/XMODEM: polynomial 0x1021, starting at zero.
    private static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
            }
        }
    }
}

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

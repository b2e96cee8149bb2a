/// Which node serves which slot.
struct SlotMap: Sendable {
    private var nodes: [RedisAddress] = []
    /// Per slot an index into `nodes`; -1 while nobody serves it.
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

/// The entries of a ``BearerCache``: a dictionary into a doubly linked list, newest use first, kept in one array.
struct BearerCacheEntries {
    private struct Node {
        let key: BearerCache.Key
        var identity: BearerIdentity
        /// By the clock that nobody sets: how long the answer is believed whatever the wall clock says.
        var believedUntil: ContinuousClock.Instant
        var newer: Int?
        var older: Int?
    }

    private let capacity: Int
    private var positions: [BearerCache.Key: Int] = [:]
    private var nodes: [Node] = []
    private var newest: Int?
    private var oldest: Int?
    private(set) var generation = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { nodes.count }

    mutating func use(
        _ key: BearerCache.Key, at now: Timestamp, uptime: ContinuousClock.Instant
    ) -> BearerIdentity? {
        guard let position = positions[key] else { return nil }
        let identity = nodes[position].identity
        guard identity.cacheableUntil > now, nodes[position].believedUntil > uptime else {
            remove(at: position)
            return nil
        }
        if newest != position {
            unlink(position)
            linkAsNewest(position)
        }
        return identity
    }

    mutating func insert(
        _ identity: BearerIdentity, for key: BearerCache.Key, believedUntil: ContinuousClock.Instant
    ) {
        if let position = positions[key] {
            nodes[position].identity = identity
            nodes[position].believedUntil = believedUntil
            unlink(position)
            linkAsNewest(position)
            return
        }
        if nodes.count == capacity, let oldest { remove(at: oldest) }
        nodes.append(Node(key: key, identity: identity, believedUntil: believedUntil))
        positions[key] = nodes.count - 1
        linkAsNewest(nodes.count - 1)
    }

    mutating func removeAll() {
        positions = [:]
        nodes = []
        newest = nil
        oldest = nil
        generation += 1
    }

    // The last node moves into the hole, so that the array stays dense.
    private mutating func remove(at position: Int) {
        unlink(position)
        positions[nodes[position].key] = nil
        let last = nodes.count - 1
        if position != last {
            let moved = nodes[last]
            nodes[position] = moved
            positions[moved.key] = position
            if let newer = moved.newer { nodes[newer].older = position } else { newest = position }
            if let older = moved.older { nodes[older].newer = position } else { oldest = position }
        }
        nodes.removeLast()
    }

    private mutating func unlink(_ position: Int) {
        let (newer, older) = (nodes[position].newer, nodes[position].older)
        if let newer { nodes[newer].older = older } else { newest = older }
        if let older { nodes[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAsNewest(_ position: Int) {
        nodes[position].newer = nil
        nodes[position].older = newest
        if let newest { nodes[newest].newer = position } else { oldest = position }
        newest = position
    }
}

/// Whether to go on waiting for a node's name that others hold.
struct NamePatience {
    /// Whether holders are commands, which end by themselves; a server with the name will keep it.
    private let isOfCommand: Bool
    private let limit: Duration
    private var last: NodeHeld?
    private var deadline: ContinuousClock.Instant

    /// - Parameter limit: after which the lease of a holder that vanished has run out.
    init(for node: String, from start: ContinuousClock.Instant, limit: Duration) {
        isOfCommand = NodeName.isOfCommand(node)
        self.limit = limit
        deadline = start + limit
    }

    func isLeft(at now: ContinuousClock.Instant) -> Bool { now < deadline }

    /// A holder that has put its lease off lives. Another one that took the name in between, as commands do one after
    /// the other, has put nothing off, and is waited for anew.
    mutating func isLeft(for held: NodeHeld, at now: ContinuousClock.Instant) -> Bool {
        defer { last = held }
        guard let last, last.holder == held.holder else {
            if last != nil { deadline = now + limit }
            return isLeft(at: now)
        }
        return (isOfCommand || held.expiresAt <= last.expiresAt) && isLeft(at: now)
    }
}

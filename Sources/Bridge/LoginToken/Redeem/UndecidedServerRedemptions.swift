import Synchronization

/// Redemptions by websites' servers that a store could not confirm, for their next attempt at this node: unlike a
/// browser, a server carries nothing from one attempt to the next.
final class UndecidedServerRedemptions: Sendable {
    private let entries = Mutex<[TokenID: (opened: OpenedSession, until: Timestamp)]>([:])

    /// Far more than wait for a store at once; beyond it an attempt is a replay, which is safe.
    private static let capacity = 1000

    func remember(_ opened: OpenedSession, of id: TokenID, at now: Timestamp) {
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries = entries.filter { now < $0.value.until } }
            guard entries.count < Self.capacity else { return }
            entries[id] = (opened, now + RedemptionRetry.lifetime)
        }
    }

    /// Whether there is one; it stays for the attempt that ``take(_:at:)`` gives it to.
    func hasOne(of id: TokenID, at now: Timestamp) -> Bool {
        entries.withLock { entries in entries[id].map { now < $0.until } ?? false }
    }

    /// For one attempt alone: the second of two at the same time is a replay.
    func take(_ id: TokenID, at now: Timestamp) -> OpenedSession? {
        entries.withLock { $0.removeValue(forKey: id) }.flatMap { now < $0.until ? $0.opened : nil }
    }
}

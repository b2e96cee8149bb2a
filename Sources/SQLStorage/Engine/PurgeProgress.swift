import Bridge

/// How far the purges of this process have come in each table, and in each part of one that is purged by itself.
///
/// As long as anybody may still look at what was removed, such as a backup, PostgreSQL keeps it in the index of times,
/// at the end where a purge begins: each batch would read through all that went before it.
struct PurgeProgress: Sendable {
    private struct Place {
        let end: Timestamp
        let since: Timestamp
    }

    private var places: [String: Place] = [:]

    /// How long a purge goes on from where the last one ended. Then it begins with the oldest row again: one may have
    /// come in that ended before what is gone by now, from a clock that is behind or was set back, and of what was kept
    /// some may go (``ExpiredDevices``).
    static let patience = Duration.seconds(3600)

    /// When the first row ended that a purge looks for.
    func start(in table: String, at now: Timestamp) -> Timestamp {
        place(in: table, at: now)?.end ?? Timestamp(milliseconds: .min)
    }

    /// - Parameter end: when the last row ended of what was removed.
    mutating func note(_ end: Timestamp, in table: String, at now: Timestamp) {
        places[table] = Place(end: end, since: place(in: table, at: now)?.since ?? now)
    }

    private func place(in table: String, at now: Timestamp) -> Place? {
        places[table].flatMap { $0.since <= now && now < $0.since + Self.patience ? $0 : nil }
    }
}

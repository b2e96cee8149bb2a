import Bridge

/// A search for the devices that a purge may remove: those that expired before a time, and below which no app is signed
/// in any more. Until then an end of the device has something to end (contract §7).
///
/// What is kept lies among what goes, and there may be much of it. A reader goes past it, some at a time, so that no
/// write waits meanwhile.
struct ExpiredDevices: Sendable {
    static let table = "device_secret"

    /// Devices that are looked at together.
    var window = 5000
    /// The ids of what was found, at most as many as are wanted.
    private(set) var found: [SQLValue] = []
    /// When the first device expired that was not looked at, or not to its end.
    private(set) var place: Timestamp
    private let cutoff: Timestamp
    private let limit: Int

    init(before cutoff: Timestamp, from place: Timestamp, limit: Int) {
        self.cutoff = cutoff
        self.place = place
        self.limit = limit
    }

    var isOver: Bool { found.count >= limit || place >= cutoff }

    /// Looks at the next window, and at all that expired in the same instant as its last.
    mutating func look(in session: any SQLSession) throws {
        let last = try session.run(
            DeviceSecretSQL.laterExpiry, [SQLValue(place), SQLValue(cutoff), .limit(window - 1)]
        ).first?.timestamp(0)
        let end = last.map { $0 + .milliseconds(1) } ?? cutoff
        let rows = try session.run(
            DeviceSecretSQL.idle,
            [SQLValue(place), SQLValue(end), SQLValue(cutoff), .limit(limit - found.count)])
        found += rows.map { $0.values[0] }
        place = found.count < limit ? end : try rows.last?.timestamp(1) ?? end
    }
}

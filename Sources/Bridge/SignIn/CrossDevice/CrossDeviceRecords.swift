/// The records of a ``CrossDeviceStore``, sealed: each opens under its own key and version alone. And, in a store that
/// forgets nothing, what of them is used up.
package final class CrossDeviceRecords: Sendable {
    /// How often a step is tried again that another was quicker than.
    static let attempts = 8

    private let store: any CrossDeviceStore
    private let uses: any RequestStore
    private let seal: ShortLivedSeal

    package init(
        store: any CrossDeviceStore, uses: any RequestStore, keys: Reloadable<SecretKeyRing>,
        time: TimeSource
    ) {
        self.store = store
        self.uses = uses
        seal = ShortLivedSeal(keys: keys, purpose: .crossDeviceSignIn, time: time)
    }

    /// One record's content, as it was read.
    struct Found: Sendable {
        let content: [UInt8]
        fileprivate let record: CrossDeviceRecord

        var version: Int64 { record.version }
        var expiresAt: Timestamp { record.expiresAt }
    }

    /// - Returns: `false` when there is one under this key.
    func add(_ content: [UInt8], under key: String, until expiry: Timestamp, at now: Timestamp) async throws -> Bool {
        let record = CrossDeviceRecord(
            key: key, content: try sealed(content, key, 0, until: expiry, at: now), expiresAt: expiry)
        return try await store.addCrossDevice(record, at: now)
    }

    /// - Returns: `nil` as well for a record that this service did not write.
    func find(_ key: String, at now: Timestamp) async throws -> Found? {
        guard let record = try await store.crossDevice(key, at: now),
            let content = seal.open(record.content, binding: Self.binding(key, record.version))
        else { return nil }
        return Found(content: content, record: record)
    }

    /// - Parameter expiry: `nil` leaves it.
    /// - Returns: `false` when it has changed since it was found.
    func replace(
        _ found: Found, with content: [UInt8], until expiry: Timestamp? = nil, at now: Timestamp
    ) async throws -> Bool {
        let expiry = expiry ?? found.expiresAt
        let version = found.version + 1
        let key = found.record.key
        return try await store.replaceCrossDevice(
            with: CrossDeviceRecord(
                key: key, version: version, content: try sealed(content, key, version, until: expiry, at: now),
                expiresAt: expiry), at: now)
    }

    /// Asks the store for a replacement that it never makes: as much work as one that it does.
    func replaceNothing(under key: String, with content: String, at now: Timestamp) async throws {
        _ = try await store.replaceCrossDevice(
            with: CrossDeviceRecord(key: key, version: .max, content: content, expiresAt: now), at: now)
    }

    /// Removes a record; does nothing when there is none.
    func remove(_ key: String) async throws { try await store.removeCrossDevice(key) }

    /// Uses something up, once and for good. The records' store may lose its last writes, as a Redis does that fails
    /// over, and a record be back as it was before: what is over is therefore decided elsewhere as well.
    /// - Parameters:
    ///   - name: of something that counts once.
    ///   - start: when it was made, as it says itself: what a store says beside it, a writer of that store may have
    ///     written.
    /// - Returns: `true` for one caller only.
    func useUp(_ name: String, madeAt start: Timestamp, lifetime: Duration) async throws -> Bool {
        try await uses.useUp("cross-device \(name)", madeAt: start, lifetime: lifetime)
    }

    private func sealed(
        _ content: [UInt8], _ key: String, _ version: Int64, until expiry: Timestamp, at now: Timestamp
    ) throws -> String {
        // One more second: the seal counts in whole ones, and the record's own end is what decides.
        try seal.seal(content, binding: Self.binding(key, version), lifetime: max(.zero, expiry - now) + .seconds(1))
    }

    private static func binding(_ key: String, _ version: Int64) -> String { "\(key) \(version)" }
}

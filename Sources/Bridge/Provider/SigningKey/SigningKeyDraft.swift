/// A change to the keys of a database while it is being decided.
struct SigningKeyDraft {
    let now: Timestamp
    private let before: [SealedSigningKey]
    private(set) var keys: [SealedSigningKey]
    private var saved: [SealedSigningKey] = []
    private var removed: [String] = []
    /// Go with the change.
    var events: [AuditEvent] = []

    init(_ keys: [SealedSigningKey], at now: Timestamp) {
        self.now = now
        before = keys
        self.keys = keys
    }

    /// `nil` when nothing is to be changed.
    var change: SigningKeyChange? {
        saved.isEmpty && removed.isEmpty ? nil : SigningKeyChange(saved: saved, removed: removed)
    }

    /// The keys that were not there before.
    var added: [SealedSigningKey] { saved.filter { key in !before.contains { $0.id == key.id } } }

    func has(_ algorithm: KeyAlgorithm) -> Bool { keys.contains { $0.algorithm == algorithm } }

    func schedule(of algorithm: KeyAlgorithm) -> KeySchedule { KeySchedule(keys, of: algorithm, at: now) }

    /// Takes over what a schedule changed; each algorithm's once.
    mutating func take(_ schedule: KeySchedule) {
        let changes = schedule.changes
        let ids = Set(changes.map(\.id))
        keys = keys.filter { !ids.contains($0.id) } + changes
        saved += changes
    }

    /// Lets go of keys that ended before an instant, one way or the other.
    mutating func removeEnded(before cutoff: Timestamp) {
        removed += keys.filter { key in
            let end = [key.withdrawnAt, key.retiresAt].compactMap(\.self).min()
            return end.map { $0 < cutoff } ?? false
        }.map(\.id)
    }
}

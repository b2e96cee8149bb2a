import Yams

/// What settings say, so that two readings can be compared: hashes alone, since values may be secrets.
struct SettingsFingerprint: Sendable {
    private let hashes: [SettingKey: Int]

    init(_ raw: RawSettings) {
        var hashes: [SettingKey: Int] = [:]
        for key in SettingKey.all {
            var hasher = Hasher()
            // One that is set to its default says the same as one that is not set.
            hasher.combine(raw.values[key.name]?.text ?? key.fallback ?? "")
            hasher.combine(raw.objects[key.name] ?? [])
            hashes[key] = hasher.finalize()
        }
        self.hashes = hashes
    }

    /// Topmost names, as the settings file has them, of what was another in an earlier reading of this process.
    /// - Parameter taken: settings whose changes do not count.
    func changes(since earlier: SettingsFingerprint, besides taken: Set<SettingKey> = []) -> [String] {
        let changed = hashes.keys.filter { !taken.contains($0) && hashes[$0] != earlier.hashes[$0] }
        return Set(changed.map { $0.components[0] }).sorted()
    }
}

import Foundation
import Yams

/// What settings say, with the files that they name and that are read at the start alone, so that two readings can be
/// compared: hashes alone, since values may be secrets.
struct SettingsFingerprint: Sendable {
    private let hashes: [SettingKey: Int]

    init(_ raw: RawSettings) {
        var hashes: [SettingKey: Int] = [:]
        for key in SettingKey.all {
            var hasher = Hasher()
            // One that is set to its default says the same as one that is not set.
            hasher.combine(raw.values[key.name]?.text ?? key.fallback ?? "")
            hasher.combine(raw.objects[key.name] ?? [])
            for path in Self.filesReadOnce(of: key, in: raw) {
                // As bytes: of `Data` no more than the beginning is hashed.
                hasher.combine(FileManager.default.contents(atPath: path).map { Array($0) })
            }
            hashes[key] = hasher.finalize()
        }
        self.hashes = hashes
    }

    private static func filesReadOnce(of key: SettingKey, in raw: RawSettings) -> [String] {
        var named: [String] = []
        if key.isReadOnce, let text = raw.values[key.name]?.text { named.append(text) }
        for case .mapping(let fields) in raw.objects[key.name] ?? [] {
            for (field, value) in fields {
                guard let name = field.scalar?.string, key.fieldsReadOnce.contains(name) else { continue }
                if let text = value.scalar?.string { named.append(text) }
            }
        }
        let reader = SettingsReader(raw)
        return named.filter { !$0.isEmpty }.map(reader.absolute)
    }

    /// Topmost names, as the settings file has them, of what was another in an earlier reading of this process.
    /// - Parameter taken: settings whose changes do not count.
    func changes(since earlier: SettingsFingerprint, besides taken: Set<SettingKey> = []) -> [String] {
        let changed = hashes.keys.filter { !taken.contains($0) && hashes[$0] != earlier.hashes[$0] }
        return Set(changed.map { $0.components[0] }).sorted()
    }
}

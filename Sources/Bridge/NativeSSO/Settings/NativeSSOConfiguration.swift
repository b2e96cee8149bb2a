import OAuth2

/// The Native SSO settings in force: what administrators set, over what the configuration says, over the defaults.
package struct NativeSSOConfiguration: Sendable {
    /// Where a field's value comes from.
    package enum Source: String, Sendable { case `default`, configuration, admin }

    package struct Entry: Hashable, Sendable {
        package let field: NativeSSOField
        package let value: NativeSSOValue
        package let source: Source
    }

    static let settingName = "native-sso"

    private let configured: [NativeSSOField: NativeSSOValue]
    private let store: any DeviceStore
    private let time: TimeSource
    private let cache: ShortLivedCache<String, [NativeSSOField: NativeSSOValue]>

    /// - Parameter configured: what the settings file says.
    package init(
        configured: [NativeSSOField: NativeSSOValue] = [:], store: any DeviceStore, time: TimeSource = .system
    ) {
        self.configured = configured
        self.store = store
        self.time = time
        cache = ShortLivedCache(time: time)
    }

    /// What holds now; a change on another node is seen within a second.
    package func current() async throws -> NativeSSOSettings {
        let set = try await cache.value(for: Self.settingName) { try await load() }
        return NativeSSOSettings(layers: [set, configured])
    }

    /// Every field with its value and where that comes from.
    package func entries() async throws -> [Entry] {
        let set = try await load()
        return NativeSSOField.allCases.map { field in
            if let value = set[field] { return Entry(field: field, value: value, source: .admin) }
            if let value = configured[field] { return Entry(field: field, value: value, source: .configuration) }
            return Entry(field: field, value: field.fallback, source: .default)
        }
    }

    /// Sets some fields and leaves the others.
    /// - Parameter reason: the administrator's own words.
    package func change(
        _ fields: [NativeSSOField: NativeSSOValue], by actor: AdminActor, origin: RequestOrigin, reason: String? = nil
    ) async throws {
        let merged = try await load().merging(fields) { $1 }
        try await save(merged, actor, origin, changed: Set(fields.keys), reason)
    }

    /// Takes every field back to what the configuration says.
    package func reset(by actor: AdminActor, origin: RequestOrigin, reason: String? = nil) async throws {
        try await save([:], actor, origin, changed: Set(try await load().keys), reason)
    }

    private func load() async throws -> [NativeSSOField: NativeSSOValue] {
        guard let text = try await store.setting(Self.settingName) else { return [:] }
        do {
            return try NativeSSOSettingsText.read(Array(text.utf8))
        } catch {
            throw StorageError.corrupt("the setting native-sso is malformed")
        }
    }

    private func save(
        _ fields: [NativeSSOField: NativeSSOValue], _ actor: AdminActor, _ origin: RequestOrigin,
        changed: Set<NativeSSOField>, _ words: String?
    ) async throws {
        let now = time.now()
        let names = changed.map(\.rawValue).sorted()
        var detail = JSONObjectWriter()
        detail.add("actor", actor.description)
        detail.add("fields", names)
        if let words, !words.isEmpty { detail.add("reason", words) }
        detail.add("setting", Self.settingName)
        try await store.saveSetting(
            Self.settingName, fields.isEmpty ? nil : NativeSSOSettingsText.write(fields), at: now,
            event: AuditEvent(
                at: now, type: .settingChanged, outcome: .success, reason: fields.isEmpty ? "reset" : "changed",
                origin: origin,
                detail: String(decoding: detail.finish(), as: UTF8.self)))
        cache.removeAll()
    }
}

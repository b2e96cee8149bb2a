import OAuth2
import Synchronization

/// The Native SSO settings in force: what administrators set, over what the configuration says, over the defaults.
package final class NativeSSOConfiguration: Sendable {
    /// Where a field's value comes from.
    package enum Source: String, Sendable { case `default`, configuration, admin }

    /// A field with its value in force, for the administration API.
    package struct Entry: Hashable, Sendable {
        package let field: NativeSSOField
        package let value: NativeSSOValue
        package let source: Source
    }

    static let settingName = "native-sso"
    /// How often a change is tried. Each time that it has to be tried again another one was made, so as many as these
    /// may be under way at once, on all nodes together, without a pause between the attempts.
    private static let attempts = 32

    private let configured: [NativeSSOField: NativeSSOValue]
    private let store: any SettingStore
    private let time: TimeSource
    private let cache: ShortLivedCache<String, [NativeSSOField: NativeSSOValue]>
    /// What administrators had set when the store was read last.
    private let lastRead = Mutex<[NativeSSOField: NativeSSOValue]>([:])

    /// - Parameter configured: what the settings file says.
    package init(
        configured: [NativeSSOField: NativeSSOValue] = [:], store: any SettingStore, time: TimeSource
    ) {
        self.configured = configured
        self.store = store
        self.time = time
        cache = ShortLivedCache(time: time)
    }

    /// What holds now; a change on another node is seen within a second.
    package func current() async throws -> NativeSSOSettings {
        let set = try await cache.value(for: Self.settingName) {
            let found = try await load()
            lastRead.withLock { $0 = found }
            return found
        }
        return NativeSSOSettings(layers: [set, configured])
    }

    /// The settings for what only reports them and must not fall silent with the store: if that fails, what held last,
    /// and before the first reading what the configuration says.
    package func lastKnown() async throws -> NativeSSOSettings {
        do {
            return try await current()
        } catch is StorageError {
            return NativeSSOSettings(layers: [lastRead.withLock { $0 }, configured])
        }
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

    /// Sets some fields and leaves the others, also those that others set at the same time.
    /// - Throws: ``StorageError`` when it was not made, also because others came first again and again.
    package func change(_ fields: [NativeSSOField: NativeSSOValue], by action: AdminAction) async throws {
        try await amend(by: action) { $0.merging(fields) { $1 } }
    }

    /// Takes every field back to what the configuration says.
    package func reset(by action: AdminAction) async throws {
        try await amend(by: action) { _ in [:] }
    }

    private func load() async throws -> [NativeSSOField: NativeSSOValue] {
        try Self.fields(try await store.setting(Self.settingName))
    }

    private static func fields(_ text: String?) throws -> [NativeSSOField: NativeSSOValue] {
        guard let text else { return [:] }
        do {
            return try NativeSSOSettingsText.read(Array(text.utf8))
        } catch {
            throw StorageError.corrupt("the setting native-sso is malformed")
        }
    }

    /// Makes a change to the current fields; again when another change was first. The event tells only of those that it
    /// changed.
    private func amend(
        by action: AdminAction, _ change: ([NativeSSOField: NativeSSOValue]) -> [NativeSSOField: NativeSSOValue]
    ) async throws {
        for _ in 0..<Self.attempts {
            let seen = try await store.setting(Self.settingName)
            let before = try Self.fields(seen)
            let after = change(before)
            let changed = NativeSSOField.allCases.filter { before[$0] != after[$0] }
            // What is so already may be newer than what is remembered here.
            guard !changed.isEmpty else { return cache.removeAll() }
            let now = time.now()
            let isSaved = try await store.saveSetting(
                Self.settingName, after.isEmpty ? nil : NativeSSOSettingsText.write(after), seenAs: seen, at: now,
                event: Self.event(of: action, changed, isReset: after.isEmpty, at: now))
            if isSaved { return cache.removeAll() }
        }
        throw StorageError.unavailable("the settings were changed by others all the time")
    }

    /// The administrator's own words stand in its `detail`: its reason tells a reset from a change.
    private static func event(
        of action: AdminAction, _ changed: [NativeSSOField], isReset: Bool, at now: Timestamp
    ) -> AuditEvent {
        var facts = ["setting": settingName]
        if let words = action.reason, !words.isEmpty { facts["reason"] = words }
        return AdminAction(
            actor: action.actor, reason: isReset ? "reset" : "changed", origin: action.origin, at: now,
            signedInAt: action.signedInAt
        ).event(.settingChanged, facts: facts, fields: changed.map(\.rawValue).sorted())
    }
}

import OAuth2
import Synchronization

/// Writes down how the clients of the settings file change, which happens by no administrator's action. A server
/// compares its own with what was written down last, by whatever server, when it starts and when it reads the file
/// again.
///
/// What was written down last is in the database, in digests, and changes together with the events: of several servers
/// with one file, one writes. A server says nothing of a client that is in its own file as it was at its last look, so
/// that two with different files tell of it as they start, and not at each reload.
package final class SettingsClients: Sendable {
    /// Who acts in the events: what an administrator does has a name of another form.
    package static let actor = "settings"

    /// Digests of the fields of clients, by the clients' ids.
    private typealias Digests = [String: [String: String]]

    private static let settingName = "settings-clients"
    private static let attempts = 5

    private let store: any SettingStore
    private let time: TimeSource
    /// The file as this server saw it written down; `nil` until it did.
    private let known = Mutex<Digests?>(nil)

    package init(store: any SettingStore, time: TimeSource) {
        self.store = store
        self.time = time
    }

    /// - Parameter clients: all of the file.
    /// - Throws: ``StorageError``; then the next call does it.
    package func record(_ clients: [Client]) async throws {
        let file = try Dictionary(
            clients.map { ($0.id.rawValue, try ClientDocument.digests(of: $0)) }, uniquingKeysWith: { $1 })
        let changed = known.withLock { $0 }.map { Self.ids(differingIn: $0, file) }
        if changed?.isEmpty == true { return }
        for _ in 0..<Self.attempts {
            let seen = try await store.setting(Self.settingName)
            let written = Self.read(seen)
            let now = time.now()
            let ids = changed ?? Self.ids(differingIn: written, file)
            let events = ids.compactMap { Self.event(of: $0, from: written[$0], to: file[$0], at: now) }
            if !events.isEmpty {
                let text = Self.text(written.merging(file, of: ids))
                guard
                    try await store.saveSetting(Self.settingName, text, seenAs: seen, at: now, events: events)
                else { continue }
            }
            return known.withLock { $0 = file }
        }
        throw StorageError.unavailable("other servers write down their clients all the time")
    }

    private static func ids(differingIn old: Digests, _ new: Digests) -> [String] {
        Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
    }

    /// - Returns: `nil` where nothing is new.
    private static func event(
        of id: String, from old: [String: String]?, to new: [String: String]?, at now: Timestamp
    ) -> AuditEvent? {
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.actor, actor)
        let type: AuditEventType
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, _?): type = .clientCreated
        case (_?, nil): type = .clientDeleted
        case (let old?, let new?):
            let fields = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
            guard !fields.isEmpty else { return nil }
            type = .clientChanged
            detail.add(AuditDetail.fields, fields.sorted())
        }
        return AuditEvent(
            at: now, type: type, outcome: .success, clientID: ClientID(rawValue: id), detail: detail.finishedText())
    }

    /// What cannot be read counts as nothing written down: all is told again then.
    private static func read(_ text: String?) -> Digests {
        guard let members = text.flatMap({ JSONValue.parse($0.utf8)?.object }) else { return [:] }
        return members.mapValues { ($0.object ?? [:]).compactMapValues(\.string) }
    }

    private static func text(_ digests: Digests) -> String? {
        guard !digests.isEmpty else { return nil }
        return JSONValue.object(digests.mapValues { .object($0.mapValues { .string($0) }) }).text
    }
}

extension [String: [String: String]] {
    /// This, with some keys as they are in another.
    fileprivate func merging(_ other: Self, of keys: [String]) -> Self {
        keys.reduce(into: self) { $0[$1] = other[$1] }
    }
}

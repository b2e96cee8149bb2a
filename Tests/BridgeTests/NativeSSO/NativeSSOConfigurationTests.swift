import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// Lets somebody else's change in between what is read and what is saved.
private final class OvertakenSettings: SettingStore {
    private let store: any SettingStore
    private let left: Mutex<Int>
    private let overtake: @Sendable (Int) async throws -> Void

    /// - Parameter overtake: the change; called at each of so many readings, with how many of them are left.
    init(_ store: any SettingStore, times: Int, overtake: @escaping @Sendable (Int) async throws -> Void) {
        self.store = store
        left = Mutex(times)
        self.overtake = overtake
    }

    func setting(_ name: String) async throws -> String? {
        let found = try await store.setting(name)
        let rest = left.withLock { count in
            count -= 1
            return count
        }
        if rest >= 0 { try await overtake(rest) }
        return found
    }

    func saveSetting(
        _ name: String, _ value: String?, seenAs seen: String?, at now: Timestamp, events: [AuditEvent]
    ) async throws -> Bool {
        try await store.saveSetting(name, value, seenAs: seen, at: now, events: events)
    }
}

/// Cannot be reached for as long as that is said.
final class InterruptedSettings: SettingStore {
    private let store: any SettingStore
    private let isAway = Mutex(false)

    init(_ store: any SettingStore) { self.store = store }

    func setAway(_ value: Bool) { isAway.withLock { $0 = value } }

    func setting(_ name: String) async throws -> String? {
        if isAway.withLock({ $0 }) { throw StorageError.unavailable("away") }
        return try await store.setting(name)
    }

    func saveSetting(
        _ name: String, _ value: String?, seenAs seen: String?, at now: Timestamp, events: [AuditEvent]
    ) async throws -> Bool {
        if isAway.withLock({ $0 }) { throw StorageError.unavailable("away") }
        return try await store.saveSetting(name, value, seenAs: seen, at: now, events: events)
    }
}

@Suite struct NativeSSOConfigurationTests {
    private func act(of actor: AdminActor, signedInAt: Timestamp? = nil, reason: String? = nil) -> AdminAction {
        AdminAction(actor: actor, reason: reason, origin: origin(), at: noon, signedInAt: signedInAt)
    }

    private func withConfiguration(
        _ configured: [NativeSSOField: NativeSSOValue] = [:],
        _ body: (NativeSSOConfiguration, Service) async throws -> Void
    ) async throws {
        try await withService { service async throws in
            try await body(
                NativeSSOConfiguration(configured: configured, store: service.storage, time: service.clock.source),
                service)
        }
    }

    @Test func `without a word from anybody Native SSO is off, and the rest has its defaults`() async throws {
        try await withConfiguration { configuration, _ async throws in
            #expect(try await configuration.current() == NativeSSOSettings())
            #expect(try await configuration.entries().allSatisfy { $0.source == .default })
            #expect(try await configuration.entries().map(\.field) == NativeSSOField.allCases)
        }
    }

    @Test func `an administrator's value comes before the settings file, and that before the default`() async throws {
        try await withConfiguration([.deviceSecretTTLDays: .number(7), .enabled: .flag(true)]) {
            configuration, service in
            try await configuration.change(
                [.deviceSecretTTLDays: .number(3), .maxAttemptsPerMinute: .number(2)], by: act(of: .client("operator")))
            let settings = try await configuration.current()
            #expect(settings.isEnabled)
            #expect(settings.secretLifetime == .seconds(3 * 86_400))
            #expect(settings.exchangeWindow == AttemptWindow(count: 2, per: .seconds(60), block: .seconds(900)))
            let sources = Dictionary(
                uniqueKeysWithValues: try await configuration.entries().map { ($0.field, $0.source) })
            #expect(sources[.deviceSecretTTLDays] == .admin)
            #expect(sources[.enabled] == .configuration)
            #expect(sources[.maxDeviceSecretsPerUser] == .default)
        }
    }

    @Test func `a change leaves the other fields, and says who, what and why in the audit log`() async throws {
        try await withConfiguration { configuration, service in
            let actor = AdminActor.account("carol")
            try await configuration.change([.enabled: .flag(true)], by: act(of: actor))
            try await configuration.change(
                [.maxSecretsBehavior: .word("reject")], by: act(of: actor, reason: "shared tablets"))
            let settings = try await configuration.current()
            #expect(settings.isEnabled)
            #expect(settings.limit.behavior == .reject)
            let page = try await service.storage.search(AuditFilter(type: .settingChanged), before: nil, limit: 10)
            let detail = try #require(page.records.first?.event.detail)
            #expect(
                JSONValue.parse(Array(detail.utf8))
                    == .object([
                        "actor": .string("account:carol"), "fields": .array([.string("maxSecretsBehavior")]),
                        "reason": .string("shared tablets"), "setting": .string("native-sso"),
                    ]))
        }
    }

    @Test func `the event of a person's change says when that person signed in`() async throws {
        try await withConfiguration { configuration, service in
            try await configuration.change(
                [.enabled: .flag(true)], by: act(of: .account("carol"), signedInAt: noon - .seconds(60)))
            let page = try await service.storage.search(AuditFilter(type: .settingChanged), before: nil, limit: 10)
            let detail = try #require(page.records.first?.event.detail)
            let members = JSONValue.parse(Array(detail.utf8))?.object
            #expect(members?["signed_in_at"]?.string == (noon - .seconds(60)).rfc3339)
        }
    }

    /// The fields that each change's event names, oldest first.
    private func changedFields(_ service: Service) async throws -> [[String]] {
        let page = try await service.storage.search(AuditFilter(type: .settingChanged), before: nil, limit: 100)
        return page.records.reversed().map { record in
            let detail = JSONValue.parse(Array((record.event.detail ?? "").utf8))?.object
            return detail?["fields"]?.strings ?? []
        }
    }

    @Test func `contract §8: of two partial changes at the same time both are in force, each with its event`()
        async throws
    {
        try await withConfiguration { configuration, service in
            let overtaken = NativeSSOConfiguration(
                store: OvertakenSettings(service.storage, times: 1) { _ in
                    try await configuration.change(
                        [.deviceSecretTTLDays: .number(3)], by: act(of: .login("root")))
                }, time: service.clock.source)
            try await overtaken.change([.enabled: .flag(true)], by: act(of: .account("carol")))
            let settings = try await overtaken.current()
            #expect(settings.isEnabled)
            #expect(settings.secretLifetime == .seconds(3 * 86_400))
            #expect(try await changedFields(service) == [["deviceSecretTTLDays"], ["enabled"]])
        }
    }

    @Test func `of many partial changes at the same time every one is in force`() async throws {
        try await withConfiguration { configuration, service in
            let fields: [NativeSSOField] = [
                .deviceSecretTTLDays, .maxDeviceSecretsPerUser, .maxAttemptsPerMinute, .blockDurationMinutes,
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for field in fields {
                    group.addTask {
                        try await configuration.change([field: .number(7)], by: act(of: .login("root")))
                    }
                }
                try await group.waitForAll()
            }
            let set = try await configuration.entries().filter { $0.source == .admin }.map(\.field)
            #expect(Set(set) == Set(fields))
            #expect(try await changedFields(service).count == fields.count)
        }
    }

    @Test func `a reset takes back what was set while it was under way, and its event names that too`() async throws {
        try await withConfiguration { configuration, service in
            try await configuration.change([.enabled: .flag(true)], by: act(of: .login("root")))
            let overtaken = NativeSSOConfiguration(
                store: OvertakenSettings(service.storage, times: 1) { _ in
                    try await configuration.change(
                        [.deviceSecretTTLDays: .number(3)], by: act(of: .login("root")))
                }, time: service.clock.source)
            try await overtaken.reset(by: act(of: .account("carol")))
            #expect(try await configuration.entries().allSatisfy { $0.source == .default })
            #expect(try await changedFields(service).last == ["deviceSecretTTLDays", "enabled"])
        }
    }

    @Test func `a change that thirty others overtake is made all the same`() async throws {
        try await withConfiguration { configuration, service async throws in
            let overtaken = NativeSSOConfiguration(
                store: OvertakenSettings(service.storage, times: 30) { left in
                    try await configuration.change(
                        [.maxAttemptsPerMinute: .number(left + 1)], by: act(of: .login("root")))
                }, time: service.clock.source)
            try await overtaken.change([.enabled: .flag(true)], by: act(of: .account("carol")))
            #expect(try await overtaken.current().isEnabled)
            #expect(try await changedFields(service).count == 31)
        }
    }

    @Test func `a change that others overtake again and again is refused, and leaves neither value nor event`()
        async throws
    {
        try await withConfiguration { configuration, service async throws in
            let overtaken = NativeSSOConfiguration(
                store: OvertakenSettings(service.storage, times: 50) { left in
                    try await configuration.change(
                        [.maxAttemptsPerMinute: .number(left + 1)], by: act(of: .login("root")))
                }, time: service.clock.source)
            await #expect(throws: StorageError.self) {
                try await overtaken.change([.enabled: .flag(true)], by: act(of: .account("carol")))
            }
            #expect(try await !configuration.current().isEnabled)
            let told = try await changedFields(service)
            #expect(told == Array(repeating: ["rateLimit.maxAttemptsPerMinute"], count: 32))
        }
    }

    @Test func `what is so already is no change, and no event tells of one`() async throws {
        try await withConfiguration { configuration, service in
            try await configuration.change([.enabled: .flag(true)], by: act(of: .login("root")))
            try await configuration.change([.enabled: .flag(true)], by: act(of: .login("root")))
            try await configuration.change([:], by: act(of: .login("root")))
            try await configuration.change(
                [.enabled: .flag(true), .rotateDeviceSecrets: .flag(true)], by: act(of: .login("root")))
            try await configuration.reset(by: act(of: .login("root")))
            try await configuration.reset(by: act(of: .login("root")))
            #expect(
                try await changedFields(service) == [
                    ["enabled"], ["rotateDeviceSecrets"], ["enabled", "rotateDeviceSecrets"],
                ])
        }
    }

    @Test func `a reset takes everything back to what the settings file says`() async throws {
        try await withConfiguration([.enabled: .flag(true)]) { configuration, service in
            try await configuration.change([.enabled: .flag(false)], by: act(of: .login("root")))
            #expect(try await !configuration.current().isEnabled)
            try await configuration.reset(by: act(of: .login("root")))
            #expect(try await configuration.current().isEnabled)
            #expect(try await service.events() == ["setting.changed changed", "setting.changed reset"])
        }
    }

    @Test func `contract §7: another node's change is seen within a second`() async throws {
        try await withConfiguration { configuration, service in
            #expect(try await !configuration.current().isEnabled)
            let other = NativeSSOConfiguration(store: service.storage, time: service.clock.source)
            try await other.change([.enabled: .flag(true)], by: act(of: .login("root")))
            service.clock.advance(.seconds(1))
            #expect(try await configuration.current().isEnabled)
        }
    }

    @Test func `while the store is away, what was known last is told, and nothing else goes by it`() async throws {
        try await withConfiguration { configuration, service async throws in
            let store = InterruptedSettings(service.storage)
            let node = NativeSSOConfiguration(
                configured: [.deviceSecretTTLDays: .number(7)], store: store, time: service.clock.source)
            store.setAway(true)
            #expect(try await !node.lastKnown().isEnabled)
            #expect(try await node.lastKnown().secretLifetime == .seconds(7 * 86_400), "as the settings file says")
            store.setAway(false)
            try await configuration.change([.enabled: .flag(true)], by: act(of: .login("root")))
            #expect(try await node.lastKnown().isEnabled)
            store.setAway(true)
            service.clock.advance(.seconds(60))
            #expect(try await node.lastKnown().isEnabled)
            await #expect(throws: StorageError.self) { try await node.current() }
        }
    }

    @Test func `what cannot be read in the store is not taken for the default`() async throws {
        try await withConfiguration([.enabled: .flag(true)]) { configuration, service in
            _ = try await service.storage.saveSetting(
                "native-sso", "{\"enabled\":7}", seenAs: nil, at: noon,
                event: AuditEvent(at: noon, type: .settingChanged, outcome: .success))
            await #expect(throws: StorageError.self) { try await configuration.current() }
        }
    }

    @Test(
        arguments: [
            (#"{}"#, [:]),
            (
                #"{"enabled":true,"deviceSecretTTLDays":90}"#,
                [.enabled: .flag(true), .deviceSecretTTLDays: .number(90)]
            ),
            (#"{"maxSecretsBehavior":"reject"}"#, [.maxSecretsBehavior: .word("reject")]),
            (#"{"rateLimit":{"blockDurationMinutes":60}}"#, [.blockDurationMinutes: .number(60)]),
            (#"{"rateLimit.blockDurationMinutes":1}"#, [.blockDurationMinutes: .number(1)]),
            (#"{"rotationOverlapSeconds":0}"#, [.rotationOverlapSeconds: .number(0)]),
        ] as [(String, [NativeSSOField: NativeSSOValue])])
    func `a body in the shape of PUT is read`(body: String, expected: [NativeSSOField: NativeSSOValue]) throws {
        #expect(try NativeSSOSettingsText.read(Array(body.utf8)) == expected)
    }

    @Test(arguments: [
        (#"[]"#, "the body is not a JSON object, or it repeats a member"),
        (#"{"enabled":true,"enabled":true}"#, "the body is not a JSON object, or it repeats a member"),
        (#"{"rateLimit":5}"#, "rateLimit must be an object"),
        (#"{"other":true}"#, #""other" is not a setting of native-sso"#),
        (#"{"rateLimit":{"other":1}}"#, #""rateLimit.other" is not a setting of native-sso"#),
        (#"{"enabled":"yes"}"#, "enabled must be true or false"),
        (#"{"enabled":null}"#, "enabled must be true or false"),
        (#"{"deviceSecretTTLDays":91}"#, "deviceSecretTTLDays must be a whole number from 1 to 90"),
        (#"{"deviceSecretTTLDays":1.5}"#, "deviceSecretTTLDays must be a whole number from 1 to 90"),
        (
            #"{"rateLimit":{"maxAttemptsPerMinute":0}}"#,
            "rateLimit.maxAttemptsPerMinute must be a whole number from 1 to 100"
        ),
        (#"{"maxSecretsBehavior":"ask"}"#, "maxSecretsBehavior must be one of revoke_oldest, reject"),
        (
            #"{"rateLimit":{"blockDurationMinutes":1},"rateLimit.blockDurationMinutes":2}"#,
            "rateLimit.blockDurationMinutes is repeated"
        ),
    ])
    func `a body with a mistake is refused, with the field and its range`(body: String, problem: String) {
        do throws(OAuthError) {
            _ = try NativeSSOSettingsText.read(Array(body.utf8))
            Issue.record("it was read")
        } catch {
            #expect(error.code == .invalidRequest)
            #expect(error.publicDescription?.hasPrefix(problem) == true)
        }
    }
}

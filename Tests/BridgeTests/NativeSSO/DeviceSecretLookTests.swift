import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import Bridge

/// Counts how often settings are read.
private final class CountedSettings: SettingStore {
    private let store: any SettingStore
    private let count = Mutex(0)

    init(_ store: any SettingStore) { self.store = store }

    var readings: Int { count.withLock { $0 } }

    func setting(_ name: String) async throws -> String? {
        count.withLock { $0 += 1 }
        return try await store.setting(name)
    }

    func saveSetting(
        _ name: String, _ value: String?, seenAs seen: String?, at now: Timestamp, events: [AuditEvent]
    ) async throws -> Bool {
        try await store.saveSetting(name, value, seenAs: seen, at: now, events: events)
    }
}

/// What is known of a device secret is found in one look, and one reading of the settings decides about it.
@Suite struct DeviceSecretLookTests {
    @Test(arguments: [true, false])
    func `a secret and the sessions below its device are found in one look, and in a file none are sought for nothing`(
        isFar: Bool
    ) async throws {
        try await withCountedService(isFar: isFar) { service, engine in
            let native = try NativeProvider(
                Provider(service), configured: [.enabled: .flag(true), .allowCrossClientNativeSSO: .flag(true)])
            let tokens = try await native.signIn()
            let session = try native.session(of: tokens)
            let secret = try #require(OpaqueSecret(tokens.deviceSecret?.expose() ?? "", kind: .deviceSecret))
            engine.clear()
            let known = try await service.storage.deviceSecret(digest: secret.digest)
            #expect(known?.sessionIDs == [session])
            #expect(engine.counts == LookCounts(looks: 1, statements: 2))
            engine.clear()
            let unknown = try await service.storage.deviceSecret(digest: "unknown")
            #expect(unknown == nil)
            #expect(engine.counts == LookCounts(looks: 1, statements: isFar ? 2 : 1))
        }
    }

    @Test func `a refresh with a device secret is answered by one reading of the settings`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let settings = CountedSettings(native.storage)
            // Nothing that was read is remembered until the next time.
            let passing = FixedClock()
            let time = TimeSource {
                passing.advance(.seconds(1))
                return passing.now
            }
            let devices = DeviceSecrets(
                store: native.storage,
                configuration: NativeSSOConfiguration(
                    configured: [.enabled: .flag(true), .rotateDeviceSecrets: .flag(true)], store: settings,
                    time: time),
                clients: native.service.clients, endings: native.service.endings)
            let id = try native.session(of: tokens)
            let request = DeviceSecretRequest(
                session: try #require(try await native.storage.appSession(id: id)),
                client: try #require(native.service.clients.current[NativeProvider.photos]),
                presented: tokens.deviceSecret, proofKeyThumbprint: nil, origin: origin(), at: native.clock.now)
            #expect(try await devices.provideAtRefresh(request) != nil)
            #expect(settings.readings == 1)
        }
    }
}

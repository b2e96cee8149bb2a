import OAuth2
import Testing

@testable import Bridge

/// What the log says of who asked for an end (docs/audit-format.md).
@Suite struct EndingAskerTests {
    private static let ends: Set<AuditEventType> = [
        .appSessionEnded, .webSessionEnded, .deviceSecretRevoked, .loginTokenRevoked,
    ]

    /// What has ended, and for each kind the clients and sessions that asked for it.
    private func askers(_ native: NativeProvider) async throws -> [String: Set<String>] {
        let events = try await native.storage.search(AuditFilter(), before: nil, limit: 100).records.map(\.event)
        return events.filter { Self.ends.contains($0.type) }.reduce(into: [:]) { found, event in
            let asker = ["by_client", "by_sid"].map { event.fact($0) ?? "-" }.joined(separator: " ")
            found[event.type.rawValue, default: []].insert(asker)
        }
    }

    private func revoke(_ token: Secret<String>?, _ native: NativeProvider, as client: ClientID) async throws {
        let form = try Provider.parameters([("token", token?.expose() ?? ""), ("client_id", client.rawValue)])
        try await native.revocation.revoke(form, basic: .absent, origin: origin())
    }

    @Test func `a device that another app ends by its secret is put to that app, with all that goes with it`()
        async throws
    {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            _ = try await native.exchange(first)
            try await revoke(first.deviceSecret, native, as: NativeProvider.music)
            let found = try await askers(native)
            #expect(found == ["app_session.ended": ["music -"], "device_secret.revoked": ["music -"]])
        }
    }

    @Test func `a session that is ended by its refresh token is put to the app in that session`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let session = try native.session(of: tokens).rawValue
            try await revoke(tokens.refreshToken, native, as: NativeProvider.photos)
            let found = try await askers(native)
            #expect(found == ["app_session.ended": ["photos \(session)"]])
        }
    }

    @Test func `what a user ends on the account's page is put to the browser in which they did`() async throws {
        try await withNativeProvider { native in
            let link = try await native.service.issue().token
            let browser = try #require(try await native.service.open(link).opened).session
            _ = try await native.exchange(try await native.signIn())
            _ = try await native.service.issue()
            try await native.places.endOthers(than: browser, origin: origin())
            let here: Set = ["- \(browser.id.rawValue)"]
            let found = try await askers(native)
            #expect(found.keys.sorted() == Self.ends.map(\.rawValue).sorted())
            #expect(found.values.allSatisfy { $0 == here })
        }
    }

    @Test func `an end that nobody asked for names nobody`() async throws {
        try await withNativeProvider([.maxDeviceSecretsPerUser: .number(1)]) { native in
            _ = try await native.signIn()
            _ = try await native.signIn()
            let found = try await askers(native)
            #expect(found["device_secret.revoked"] == ["- -"])
        }
    }
}

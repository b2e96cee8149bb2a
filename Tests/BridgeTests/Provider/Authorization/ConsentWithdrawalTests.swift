import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// What a user agreed to, taken back (docs/asvs.md 10.7.3).
@Suite struct ConsentWithdrawalTests {
    private static func consents(_ service: Service) -> Consents {
        Consents(store: service.storage, endings: service.endings, time: service.clock.source)
    }

    /// Tokens of an app that the user agreed to for good, in the browser's session `own`.
    private static func agree(_ provider: Provider) async throws -> TokenResponse {
        let service = provider.service
        let now = service.clock.now
        try await service.storage.rememberConsent(
            of: "alice", to: app, scopes: ["openid"], at: now,
            event: AuditEvent(at: now, type: .consentGranted, outcome: .success, subject: "alice"))
        return try await provider.signIn(try provider.grant(browser: "own"))
    }

    private static func withdrawals(_ service: Service) async throws -> [AuditEvent] {
        try await service.storage.search(AuditFilter(type: .consentWithdrawn), before: nil, limit: 5)
            .records.map(\.event)
    }

    @Test func `a consent that its user takes back is gone, and the app's tokens are over at once`() async throws {
        try await withProvider { provider async throws in
            let service = provider.service
            let tokens = try await Self.agree(provider)
            let found = try await service.storage.session(id: "own")
            let session = try #require(found)
            let consents = Self.consents(service)
            let shown = try await consents.consents(shownTo: session)
            #expect(shown.map(\.clientID) == [app])
            let before = try await provider.introspect(tokens.accessToken)
            #expect(before["active"]?.bool == true)
            let isDone = try await consents.withdraw(from: app, in: session, origin: origin())
            #expect(isDone)
            let left = try await consents.consents(shownTo: session)
            #expect(left.isEmpty)
            let after = try await provider.introspect(tokens.accessToken)
            #expect(after["active"]?.bool == false)
            let refreshed = try await refusal { try await provider.refresh(tokens.refreshToken) }
            #expect(refreshed.hasPrefix("invalid_grant"))
            let events = try await Self.withdrawals(service)
            #expect(events.map(\.targetClientID) == [app])
            #expect(events.map(\.sessionID) == ["own"])
            #expect(events.map(\.reason) == ["by the user"])
            let ends = try await service.storage.search(AuditFilter(type: .appSessionEnded), before: nil, limit: 5)
            #expect(ends.records.map(\.event.detail) == [#"{"by_sid":"own"}"#])
        }
    }

    @Test func `contract §16.2: a session that came over an edge is shown no consent and takes none back`()
        async throws
    {
        try await withProvider { provider async throws in
            let service = provider.service
            let tokens = try await Self.agree(provider)
            let now = service.clock.now
            let linked = WebSession(
                id: "linked", secretDigest: "digest of linked", subject: "alice", clientID: website, appClientID: app,
                parentID: nil, loginTokenID: nil, opening: .loginToken,
                authentication: Authentication(time: now, acr: "aal1", amr: ["pwd"]), createdAt: now,
                expiresAt: now + .seconds(3600), idleLifetime: .seconds(3600), lastSeenAt: now)
            let consents = Self.consents(service)
            let shown = try await consents.consents(shownTo: linked)
            #expect(shown.isEmpty)
            let isDone = try await consents.withdraw(from: app, in: linked, origin: origin())
            #expect(!isDone)
            let kept = try await service.storage.consent(of: "alice", to: app)
            #expect(kept == ["openid"])
            let introspected = try await provider.introspect(tokens.accessToken)
            #expect(introspected["active"]?.bool == true)
            let events = try await Self.withdrawals(service)
            #expect(events.isEmpty)
        }
    }

    @Test func `a consent that is not there is taken back without an event`() async throws {
        try await withProvider { provider async throws in
            let service = provider.service
            let tokens = try await provider.signIn(try provider.grant(browser: "own"))
            let found = try await service.storage.session(id: "own")
            let session = try #require(found)
            let isDone = try await Self.consents(service).withdraw(from: app, in: session, origin: origin())
            #expect(isDone)
            let introspected = try await provider.introspect(tokens.accessToken)
            #expect(introspected["active"]?.bool == true)
            let events = try await Self.withdrawals(service)
            #expect(events.isEmpty)
        }
    }
}

import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Contract §7 and §16.11: what another node ended is refused here within a second, and with time to spare.
@Suite struct AppSessionsTests {
    /// What a second node over the database of the first remembers.
    private struct OtherNode {
        let web: WebSessions
        let apps: AppSessions

        init(_ service: Service) {
            let time = service.clock.source
            web = WebSessions(store: service.storage, time: time)
            apps = AppSessions(store: service.storage, webSessions: web, time: time)
        }
    }

    private let id: SessionID = "app session"

    /// With an app's session that the second node has found alive.
    private func withNodes(_ body: (Service, OtherNode) async throws -> Void) async throws {
        try await withService { service async throws in
            let session = AppSession(
                id: id, subject: "alice", clientID: app, scope: Scope(tokens: ["openid"]), opening: .authorize,
                authentication: Authentication(time: noon), createdAt: noon, expiresAt: noon + .seconds(3600))
            _ = try await service.storage.open(session, refreshToken: nil, events: [])
            let other = OtherNode(service)
            try await other.web.refresh()
            #expect(try await other.apps.isAlive(id, at: noon))
            try await body(service, other)
        }
    }

    @Test func `contract §7: an app's session that another node ended is refused after half a second without news`()
        async throws
    {
        try await withNodes { service, other in
            try await service.endings.end(.appSession(id), .sample(at: noon))
            service.clock.advance(.milliseconds(500))
            #expect(try await !other.apps.isAlive(id, at: service.clock.now))
        }
    }

    @Test(arguments: [RevocationNews.ended("app session"), .gap])
    func `contract §16.11: news that may be about an app's session have it asked about at once`(
        _ news: RevocationNews
    ) async throws {
        try await withNodes { service, other in
            try await service.endings.end(.appSession(id), .sample(at: noon))
            #expect(try await other.apps.isAlive(id, at: noon))
            other.web.take(news)
            #expect(try await !other.apps.isAlive(id, at: noon))
        }
    }

    @Test func `contract §7: what ended with a browser's session is refused with the next reading of ends`()
        async throws
    {
        try await withNodes { service, other in
            _ = try #require(try await service.open(try await service.issue().token).opened)
            try await service.endings.end(.user("alice"), .sample(at: noon))
            try await other.web.refresh()
            #expect(try await !other.apps.isAlive(id, at: noon))
        }
    }

    @Test(arguments: [RevocationNews.ended("another"), .keysChanged])
    func `news about something else cost no look-up`(_ news: RevocationNews) async throws {
        try await withNodes { service, other in
            try await service.endings.end(.appSession(id), .sample(at: noon))
            other.web.take(news)
            try await other.web.refresh()
            #expect(try await other.apps.isAlive(id, at: noon))
        }
    }

    @Test func `contract §7: an access token that another node revoked is refused after half a second`() async throws {
        try await withProvider { provider in
            let service = provider.service
            let elsewhere = AccessTokens(
                codec: provider.accessTokenCodec, clients: service.clients, sessions: OtherNode(service).apps,
                store: service.storage, time: service.clock.source)
            let token = try await provider.signIn().accessToken
            _ = try await elsewhere.active(token, at: service.clock.now)
            try await provider.revocation.revoke(
                try Provider.parameters([("token", token.expose()), ("client_id", "app")]), basic: .absent,
                origin: origin())
            service.clock.advance(.milliseconds(500))
            #expect(try await refusal { try await elsewhere.active(token, at: service.clock.now) } == "inactive")
        }
    }
}

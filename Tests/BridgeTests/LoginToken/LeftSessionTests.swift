import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// A link in a browser whose session is not alive any more, while what was granted in it is, or whose session only
/// cookies of the profile `tokens` name (contract §4.3, §7).
@Suite struct LeftSessionTests {
    private static let granted: SessionID = "granted"

    /// A browser's session of alice's that opens nothing any more, and what an app was granted in it.
    private func leave(_ service: Service, at target: ClientID = website) async throws -> OpenedSession {
        service.change("cookies") { $0.sessionIdle = .seconds(600) }
        let request = LoginTokenIssueRequest(targetClientID: target.rawValue)
        let opened = try #require(try await service.open(try await service.issue(request).token).opened)
        let outcome = try await service.storage.open(
            AppSession(
                id: Self.granted,
                lineage: opened.session.granted(
                    Scope(tokens: [Scope.openID]), at: service.clock.now, lifetime: .seconds(3600)),
                clientID: website, browserSessionID: opened.session.id, createdAt: service.clock.now),
            refreshToken: nil, events: [])
        #expect(outcome == .opened)
        service.clock.advance(.seconds(600))
        #expect(try await service.sessions.lookUp(opened.secret) == nil)
        return opened
    }

    @Test func `another user's link ends what was granted in it, and asks nobody`() async throws {
        try await withService { service async throws in
            let left = try await leave(service)
            let token = try await service.issue(subject: "bob").token
            let opened = try #require(try await service.open(token, session: left.secret).opened)
            #expect(opened.session.subject == "bob")
            #expect(try await service.storage.appSession(id: Self.granted)?.endedAt == service.clock.now)
            #expect(try await service.sessions.known(left.secret)?.endedAt == service.clock.now)
            #expect(
                try await service.events().contains("web_session.switched account_switch"),
                "it is told as of any other session")
        }
    }

    @Test func `the same user's link takes over what was granted in it`() async throws {
        try await withService { service async throws in
            let left = try await leave(service)
            let token = try await service.issue().token
            let opened = try #require(try await service.open(token, session: left.secret).opened)
            let moved = try #require(try await service.storage.appSession(id: Self.granted))
            #expect(moved.endedAt == nil && moved.browserSessionID == opened.session.id)
            #expect(try await service.sessions.known(left.secret)?.endedAt == service.clock.now)
            try await service.endings.end(
                .webSession(opened.session.id), .signOut(origin: origin(), at: service.clock.now))
            #expect(try await service.storage.appSession(id: Self.granted)?.endedAt == service.clock.now)
        }
    }

    @Test func `a link of a website with cookies of its own names leaves the user's other session to its cookie`()
        async throws
    {
        try await withService { service async throws in
            let left = try await leave(service)
            let token = try await service.issue(LoginTokenIssueRequest(targetClientID: "cookies")).token
            #expect(try await service.open(token, session: left.secret).opened != nil)
            let granted = try #require(try await service.storage.appSession(id: Self.granted))
            #expect(granted.endedAt == nil && granted.browserSessionID == left.session.id)
        }
    }

    @Test func `contract §4.3: whom only cookies of the profile tokens sign in is asked, and nothing is used up`()
        async throws
    {
        try await withService { service async throws in
            let own = LoginTokenIssueRequest(targetClientID: "cookies")
            let bobs = try #require(
                try await service.open(try await service.issue(own, subject: "bob").token).opened
            ).session
            let link = try await service.issue()
            let asked = try await service.open(link.token, tokenSessions: [bobs])
            guard case .switchAccount(let current, let proposed) = asked else {
                Issue.record("\(asked)")
                return
            }
            #expect(current == "bob" && proposed == "alice")
            #expect(try await service.storage.state(of: link.id)?.status == .pending)
            let yes = Visit(carrier: .form, formIsOurs: true, origin: .own)
            let opened = try await service.open(link.token, visit: yes, confirmsSwitch: true, tokenSessions: [bobs])
            #expect(opened.opened?.session.subject == "alice")
            #expect(try await service.sessions.known(bobs.id)?.endedAt == service.clock.now)
        }
    }

    @Test func `of the profile tokens: another user's link ends what was granted in it`() async throws {
        try await withService { service async throws in
            let left = try await leave(service, at: "cookies")
            let token = try await service.issue(subject: "bob").token
            #expect(try await service.open(token, tokenSessions: [left.session]).opened?.session.subject == "bob")
            #expect(try await service.storage.appSession(id: Self.granted)?.endedAt == service.clock.now)
            #expect(try await service.sessions.known(left.session.id)?.endedAt == service.clock.now)
        }
    }

    @Test func `of the profile tokens: the same user's link of its website takes over what was granted in it`()
        async throws
    {
        try await withService { service async throws in
            let left = try await leave(service, at: "cookies")
            let token = try await service.issue(LoginTokenIssueRequest(targetClientID: "cookies")).token
            let opened = try #require(try await service.open(token, tokenSessions: [left.session]).opened)
            let moved = try #require(try await service.storage.appSession(id: Self.granted))
            #expect(moved.endedAt == nil && moved.browserSessionID == opened.session.id)
        }
    }

    @Test(arguments: ["alice", "bob"] as [Subject])
    func `attack: a session past its absolute end has no say in what becomes of offline access`(
        _ visitor: Subject
    ) async throws {
        try await withService { service async throws in
            let start = service.clock.now
            let secret = OpaqueSecret.make(.webSession, random: .system)
            let signIn = WebSession(
                id: "sign-in", secretDigest: secret.digest,
                lineage: .signIn(
                    of: "alice", authentication: Authentication(time: start), at: start, lifetime: .seconds(3600)),
                clientID: website, createdAt: start, idleLifetime: .seconds(600), lastSeenAt: start)
            try await service.storage.changeLogoutSubscribers(adding: [website], removing: [])
            #expect(try await service.storage.open(signIn, replacing: nil, events: []))
            let offline = AppSession(
                id: Self.granted,
                lineage: signIn.granted(
                    Scope(tokens: [Scope.openID, Scope.offlineAccess]), at: start, lifetime: .seconds(9000)),
                clientID: website, browserSessionID: signIn.id, createdAt: start)
            #expect(try await service.storage.open(offline, refreshToken: nil, events: []) == .opened)
            service.clock.advance(.seconds(3600))
            let named = try await service.sessions.lookUpOrLeft(secret)
            #expect(named.alive == nil && named.left == nil)
            let token = try await service.issue(subject: visitor).token
            #expect(try await service.open(token, session: secret).opened != nil)
            let granted = try #require(try await service.storage.appSession(id: Self.granted))
            #expect(granted.isAlive(at: service.clock.now) && granted.browserSessionID == signIn.id)
            let told = try await service.storage.takeLogoutNotices(
                dueAt: service.clock.now, lease: .seconds(15), limit: 10, sparing: [])
            #expect(told.isEmpty)
        }
    }
}

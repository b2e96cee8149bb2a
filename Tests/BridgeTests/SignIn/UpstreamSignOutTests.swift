import OAuth2
import Testing

@testable import Bridge

private struct SignOutDesk: Sendable {
    let service: Service
    let upstream = ScriptedUpstream()
    let signIn: UpstreamSignIn
    let signOuts: UpstreamSignOuts
    let browser = OpaqueSecret.make(.formBinding, random: .system)
    let here: WebOrigin

    init(_ service: Service) throws {
        self.service = service
        here = try #require(WebOrigin("https://bridge.example"))
        let refusals = RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(clock: .parameter))
        signIn = UpstreamSignIn(
            providers: [upstream], accounts: service.storage, uses: service.storage,
            opener: SessionOpener(sessions: service.sessions, store: service.storage, clients: service.clients),
            refusals: refusals, limiter: UnlimitedRateLimiter(), limits: LimitSettings(), keys: service.keys,
            time: service.clock.source)
        signOuts = UpstreamSignOuts(
            providers: [upstream], sessions: service.storage, endings: service.endings, refusals: refusals,
            time: service.clock.source)
    }

    /// A new session of the provider's user, in a browser of its own.
    func open(_ user: String, session: String? = nil) async throws -> WebSession {
        upstream.willName(user, session: session)
        _ = try await signIn.begin(upstream.id, errand: "", browser: browser, at: here, isFresh: false)
        let state = try #require(upstream.requests.last).state
        let outcome = try await signIn.finish(
            upstream.id, try Provider.parameters([("state", state), ("code", "code")]), browser: browser, at: here,
            held: [], replacing: nil, origin: origin())
        guard case .signedIn(let opened, _) = outcome else { throw UpstreamRefusal.declined }
        return opened.session
    }

    func hear(_ fields: [(String, String)], from id: String = "corporate") async throws {
        try await signOuts.hear(try Provider.parameters(fields), from: id, origin: origin())
    }

    /// Sends a token that counts.
    func hear(_ reach: LogoutToken.Reach, id: String = "t1") async throws {
        upstream.willSay(id, reach, at: service.clock.now)
        try await hear([("logout_token", id)])
    }

    /// The error's code and what the log says of it.
    func refusal(of fields: [(String, String)], from id: String = "corporate") async throws -> String {
        do {
            try await hear(fields, from: id)
            return "none"
        } catch let error as OAuthError {
            return [error.code.rawValue, error.detail].compactMap(\.self).joined(separator: " ")
        }
    }

    func isAlive(_ session: WebSession) async throws -> Bool { try await service.sessions.peek(session.id) != nil }

    func refusals() async throws -> [AuditEvent] {
        try await service.storage.search(AuditFilter(type: .logoutTokenRefused), before: nil, limit: 100).records
            .map(\.event)
    }
}

@Suite struct UpstreamSignOutTests {
    private func withDesk(_ body: (SignOutDesk) async throws -> Void) async throws {
        try await withService { try await body(SignOutDesk($0)) }
    }

    @Test func `whoever signs out at the provider is signed out here at once, and the log says where`() async throws {
        try await withDesk { desk async throws in
            let (one, two) = (try await desk.open("u-1"), try await desk.open("u-1"))
            let other = try await desk.open("u-2")
            try await desk.hear(.user("u-1"))
            #expect(try await !desk.isAlive(one))
            #expect(try await !desk.isAlive(two))
            #expect(try await desk.isAlive(other))
            let ends = try await desk.service.events().filter { $0.hasPrefix("web_session.ended") }
            #expect(ends == ["web_session.ended upstream_signed_out", "web_session.ended upstream_signed_out"])
        }
    }

    @Test func `the end of one session there ends what came of it`() async throws {
        try await withDesk { desk async throws in
            let (one, two) = (
                try await desk.open("u-1", session: "s1"), try await desk.open("u-1", session: "s2")
            )
            try await desk.hear(.session("s1", of: "u-1"))
            #expect(try await !desk.isAlive(one))
            #expect(try await desk.isAlive(two))
        }
    }

    @Test func `of whom nothing is left signs out without fault`() async throws {
        try await withDesk { desk async throws in
            try await desk.hear(.user("u-9"))
            #expect(try await desk.refusals().isEmpty)
        }
    }

    @Test func `a token that comes again is refused, and signs nobody out`() async throws {
        try await withDesk { desk async throws in
            try await desk.hear(.user("u-1"))
            let later = try await desk.open("u-1")
            #expect(try await desk.refusal(of: [("logout_token", "t1")]) == "invalid_request replayed")
            #expect(try await desk.isAlive(later))
        }
    }

    @Test func `a refusal is written down with its reason and the provider`() async throws {
        try await withDesk { desk async throws in
            #expect(try await desk.refusal(of: []) == "invalid_request missing")
            let twice = [("logout_token", "a"), ("logout_token", "b")]
            #expect(try await desk.refusal(of: twice) == "invalid_request missing")
            #expect(try await desk.refusal(of: [("logout_token", "forged")]) == "invalid_request bad_signature")
            let events = try await desk.refusals()
            #expect(events.map(\.reason).reversed() == ["missing", "missing", "bad_signature"])
            #expect(Set(events.map(\.detail)) == [#"{"provider":"corporate"}"#])
        }
    }

    @Test func `sixty refusals a minute of one network are written down, and the answer stays`() async throws {
        try await withDesk { desk async throws in
            for _ in 0..<70 {
                #expect(try await desk.refusal(of: [("logout_token", "forged")]) == "invalid_request bad_signature")
            }
            #expect(try await desk.refusals().count == 60)
        }
    }

    @Test func `what cannot be decided is no refusal`() async throws {
        try await withDesk { desk async throws in
            await #expect(throws: StorageError.self) { try await desk.hear([("logout_token", "keys are away")]) }
            #expect(try await desk.refusals().isEmpty)
        }
    }

    @Test func `a provider that is not configured is not found`() async throws {
        try await withDesk { desk async throws in
            #expect(try await desk.refusal(of: [("logout_token", "t1")], from: "other") == "not_found")
        }
    }
}

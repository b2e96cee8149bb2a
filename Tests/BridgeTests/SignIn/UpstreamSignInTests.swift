import OAuth2
import StorageConformance
import Testing
import Tracing

@testable import Bridge

struct UpstreamDesk: Sendable {
    let service: Service
    let upstream = ScriptedUpstream()
    let other = ScriptedUpstream(id: "other")
    let spans = SpanCollection()
    let signIn: UpstreamSignIn
    let browser = OpaqueSecret.make(.formBinding, random: .system)
    let here: WebOrigin

    init(_ service: Service) throws {
        self.service = service
        here = try #require(WebOrigin("https://bridge.example"))
        let limiter = InProcessRateLimiter(clock: .parameter)
        signIn = UpstreamSignIn(
            providers: [upstream, other], accounts: service.storage, uses: service.storage,
            opener: SessionOpener(sessions: service.sessions, store: service.storage, clients: service.clients),
            refusals: RefusalLog(audit: service.storage, limiter: limiter), limiter: limiter, limits: LimitSettings(),
            keys: service.keys, time: service.clock.source, recorder: spans.recorder())
    }

    /// The `state` of a new trip.
    func begin(at here: WebOrigin? = nil, isFresh: Bool = false) async throws -> String {
        _ = try #require(
            try await signIn.begin(
                upstream.id, errand: "journey", browser: browser, at: here ?? self.here, isFresh: isFresh))
        return try #require(upstream.requests.last).state
    }

    func finish(
        _ state: String?, code: String? = "code", error: String? = nil, provider: String = "corporate",
        browser other: OpaqueSecret? = nil, at here: WebOrigin? = nil, held: [WebSession] = [],
        replacing current: WebSession? = nil, from address: String = "203.0.113.7"
    ) async throws -> UpstreamSignIn.Outcome {
        let form = [("state", state), ("code", code), ("error", error), ("iss", "https://login.corporate.example")]
            .compactMap { name, value in value.map { (name, $0) } }
        return try await signIn.finish(
            provider, try Provider.parameters(form), browser: other ?? browser, at: here ?? self.here, held: held,
            replacing: current, origin: origin(address))
    }

    func failures() async throws -> [String?] {
        try await service.storage.search(AuditFilter(type: .userSignInFailed), before: nil, limit: 100).records
            .map(\.event.reason)
    }
}

extension UpstreamSignIn.Outcome {
    var session: WebSession? { if case .signedIn(let opened, _) = self { opened.session } else { nil } }
    fileprivate var isForeign: Bool { if case .refused(errand: nil) = self { true } else { false } }
    fileprivate var refusedErrand: String? { if case .refused(let errand) = self { errand } else { nil } }
    fileprivate var limitedErrand: String? { if case .limited(_, let errand) = self { errand } else { nil } }
}

@Suite struct UpstreamSignInTests {
    private func withDesk(_ body: (UpstreamDesk) async throws -> Void) async throws {
        try await withService { try await body(UpstreamDesk($0)) }
    }

    @Test func `a trip that was recorded goes on in its trace, whoever has recorded the request that ends it`()
        async throws
    {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let request = try #require(desk.spans.recorder().request(continuing: nil, method: "GET"))
            let state = try await InstrumentationContext.$current.withValue(request.context) { try await desk.begin() }
            #expect(try await desk.finish(state).session != nil)
            let step = try #require(desk.spans["finish upstream sign-in"])
            #expect(step.trace.traceID == request.trace.traceID)
            #expect(step.parentID == request.trace.spanID)
            #expect(step.attributes == ["drawbridge.outcome": "opened"])
            #expect(!state.contains(request.trace.traceID), "sealed")
            // One that was not is no part of any.
            _ = try await desk.finish(try await desk.begin(), code: nil)
            #expect(desk.spans.all.count { $0.name == step.name } == 1)
        }
    }

    @Test func `the first sign-in makes an account, and every later one finds it`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let outcome = try await desk.finish(try await desk.begin())
            guard case .signedIn(let opened, let errand) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(errand == "journey")
            let account = try #require(try await desk.service.storage.account(of: opened.session.subject))
            #expect(account.displayName == "Alice")
            #expect(account.email == "alice@corporate.example")
            #expect(account.username == nil)
            let again = try await desk.finish(try await desk.begin())
            #expect(again.session?.subject == opened.session.subject)
            #expect(
                try await desk.service.events().filter { $0.hasPrefix("user.created") } == ["user.created upstream"])
        }
    }

    @Test func `that an account was made is in the log with the request that made it`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            _ = try #require(try await desk.finish(try await desk.begin()).session)
            func event(_ type: AuditEventType) async throws -> AuditEvent {
                let found = try await desk.service.storage.search(AuditFilter(type: type), before: nil, limit: 2)
                return try #require(found.records.first).event
            }
            let (made, signedIn) = (try await event(.userCreated), try await event(.userSignedIn))
            #expect(made.requestID == signedIn.requestID && made.requestID != nil)
            #expect(made.address == signedIn.address && made.address != nil)
        }
    }

    @Test func `what goes out comes back: the same state, nonce, verifier and callback`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            _ = try await desk.finish(try await desk.begin(isFresh: true))
            let (sent, back) = (desk.upstream.requests[0], desk.upstream.requests[1])
            #expect(sent.redirectURI == "https://bridge.example/sign-in/callback/corporate")
            #expect(back.redirectURI == sent.redirectURI)
            #expect(back.state == sent.state)
            #expect(back.nonce == sent.nonce)
            #expect(back.verifier.value == sent.verifier.value)
            #expect(desk.upstream.isFresh == [true])
            // RFC 9700 §4.7: no two trips have anything in common.
            _ = try await desk.begin()
            let next = try #require(desk.upstream.requests.last)
            #expect(next.nonce != sent.nonce)
            #expect(next.verifier.value != sent.verifier.value)
        }
    }

    @Test func `a provider that is not configured leads nowhere`() async throws {
        try await withDesk { desk async throws in
            #expect(
                try await desk.signIn.begin(
                    "third", errand: "journey", browser: desk.browser, at: desk.here, isFresh: false) == nil)
            #expect(try await desk.finish(try await desk.begin(), provider: "third").isForeign)
        }
    }

    @Test func `RFC 9700 §4.4: an answer to one provider counts at no other's callback, and nobody is asked`()
        async throws
    {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            desk.other.willName("u-2")
            let state = try await desk.begin()
            #expect(try await desk.finish(state, provider: desk.other.id).isForeign)
            #expect(try await desk.failures() == ["stale"])
            #expect(desk.other.requests.isEmpty)
            #expect(try await desk.finish(state).session != nil)
        }
    }

    @Test func `RFC 6749 §10.12: an answer counts in the browser that asked, and while it is fresh`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let state = try await desk.begin()
            let other = OpaqueSecret.make(.formBinding, random: .system)
            #expect(try await desk.finish(state, browser: other).isForeign)
            #expect(try await desk.finish(nil).isForeign)
            #expect(try await desk.finish(state + "x").isForeign)
            desk.service.clock.advance(UpstreamSignIn.tripLifetime + .seconds(1))
            #expect(try await desk.finish(state).isForeign)
            #expect(try await desk.failures() == ["stale", "stale", "stale", "stale"])
        }
    }

    @Test func `a trip leads back to the origin where it began, which its browser's cookies are of`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let console = try #require(WebOrigin("https://admin.bridge.example"))
            let state = try await desk.begin(at: console)
            #expect(
                desk.upstream.requests.last?.redirectURI == "https://admin.bridge.example/sign-in/callback/corporate")
            _ = try await desk.finish(state, at: console)
            #expect(Set(desk.upstream.requests.map(\.redirectURI)).count == 1, "the code was asked for there too")
        }
    }

    @Test func `a repeated parameter makes an answer no answer`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let state = try await desk.begin()
            let parameters = try Provider.parameters([("state", state), ("code", "a"), ("code", "b")])
            let outcome = try await desk.signIn.finish(
                "corporate", parameters, browser: desk.browser, at: desk.here, held: [], replacing: nil,
                origin: origin())
            #expect(outcome.isForeign)
        }
    }

    @Test func `a refusal of the provider goes back to the errand, and into the audit log`() async throws {
        try await withDesk { desk async throws in
            #expect(
                try await desk.finish(try await desk.begin(), code: nil, error: "access_denied").refusedErrand
                    == "journey")
            #expect(
                try await desk.finish(try await desk.begin(), error: "access_denied").refusedErrand == "journey")
            for refusal in [UpstreamRefusal.otherIssuer, .badCode, .badToken, .wrongNonce] {
                desk.upstream.willRefuse(refusal)
                #expect(try await desk.finish(try await desk.begin()).refusedErrand == "journey")
            }
            #expect(
                try await desk.failures().reversed() == [
                    "upstream_declined", "upstream_declined", "upstream_other_issuer", "upstream_bad_code",
                    "upstream_bad_token", "upstream_wrong_nonce",
                ])
        }
    }

    @Test func `attack: with one state and made-up codes a network has a provider asked sixty times a minute`()
        async throws
    {
        try await withDesk { desk in
            desk.upstream.willRefuse(.badCode)
            let state = try await desk.begin()
            /// How often the provider was asked, and how many had to wait.
            func asked(from address: String, times: Int) async throws -> [Int] {
                let before = desk.upstream.requests.count
                var limited = 0
                for number in 0..<times {
                    let outcome = try await desk.finish(state, code: "made-up-\(number)", from: address)
                    if outcome.limitedErrand == "journey" { limited += 1 }
                }
                return [desk.upstream.requests.count - before, limited]
            }
            let here = try await asked(from: "203.0.113.7", times: 70)
            #expect(here == [60, 10])
            let neighbour = try await asked(from: "203.0.113.200", times: 1)
            #expect(neighbour == [0, 1])
            let elsewhere = try await asked(from: "198.51.100.7", times: 1)
            #expect(elsewhere == [1, 0])
            desk.service.clock.advance(.seconds(1))
            let later = try await asked(from: "203.0.113.7", times: 2)
            #expect(later == [1, 1])
            let events = try await desk.service.events()
            #expect(events.filter { $0.hasPrefix("rate_limit") } == ["rate_limit.exceeded sign_in.upstream"])
        }
    }

    @Test func `whoever the provider names takes nothing from their neighbours`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            for _ in 0..<70 {
                let outcome = try await desk.finish(try await desk.begin())
                #expect(outcome.session != nil)
            }
        }
    }

    @Test func `whoever has a /48 of IPv6 has sixteen networks' worth of answers, not sixty-five thousand`() {
        let limiter = InProcessRateLimiter(clock: .parameter)
        let passed = (0..<1000).count { number in
            let here = origin("2001:db8:1:" + String(number, radix: 16) + "::1")
            return limiter.take(LimitSettings().upstreamAnswerKeys(origin: here), at: noon) == .allowed
        }
        #expect(passed <= 960)
    }

    @Test func `a disabled user is refused`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let subject = try #require(try await desk.finish(try await desk.begin()).session?.subject)
            try await desk.service.storage.change(subject, UserChange(isDisabled: true), ending: .sample(at: noon))
            #expect(try await desk.finish(try await desk.begin()).refusedErrand == "journey")
            #expect(try await desk.failures() == ["user_disabled"])
        }
    }

    @Test func `OpenID Connect Core §2: a sign-in there keeps its time, a new one within the trip's`() async throws {
        try await withDesk { desk in
            let began = desk.service.clock.now
            let state = try await desk.begin()
            desk.service.clock.advance(.seconds(120))
            let cases: [(Timestamp, Timestamp)] = [
                (began - .seconds(3600), began - .seconds(3600)), (began + .seconds(30), began + .seconds(30)),
                // Its clock may be a little behind, or ahead.
                (began - .seconds(60), began), (began + .seconds(150), desk.service.clock.now),
            ]
            for (there, here) in cases {
                desk.upstream.willName("u-1", authenticatedAt: there)
                #expect(try await desk.finish(state).session?.authentication.time == here)
            }
        }
    }

    @Test func `of when the user signed in nothing is made up`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let session = try #require(try await desk.finish(try await desk.begin()).session)
            #expect(session.authentication.time == nil)
        }
    }

    @Test(arguments: [(nil, false), (-61, false), (-60, true), (5, true)] as [(Int64?, Bool)])
    func `a sign-in of now that was asked for must be told of in the ID token`(
        there: Int64?, isTaken: Bool
    ) async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1", authenticatedAt: there.map { desk.service.clock.now + .seconds($0) })
            let outcome = try await desk.finish(try await desk.begin(isFresh: true))
            #expect((outcome.session != nil) == isTaken)
            guard !isTaken else { return }
            #expect(outcome.refusedErrand == "journey")
            #expect(try await desk.failures() == ["upstream_not_fresh"])
            // Nobody came into being for it.
            #expect(try await desk.service.storage.users(after: nil, limit: 10).isEmpty)
        }
    }

    @Test func `a second factor there counts as one here`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1", methods: ["pwd"])
            let weak = try #require(try await desk.finish(try await desk.begin()).session)
            #expect(weak.authentication.acr == AuthenticationLevel.oneFactor.rawValue)
            desk.upstream.willName("u-1", methods: ["hwk", "mfa"])
            let strong = try #require(try await desk.finish(try await desk.begin(), replacing: weak).session)
            #expect(strong.authentication.acr == AuthenticationLevel.twoFactors.rawValue)
            #expect(strong.authentication.amr == ["hwk", "mfa"])
            #expect(strong.id != weak.id)
            #expect(try await desk.service.sessions.peek(weak.id) == nil)
        }
    }

    @Test func `attack: a password that the provider checked is none that a code alone makes two factors of`()
        async throws
    {
        try await withDesk { desk in
            desk.upstream.willName("u-1", methods: ["pwd", "sms"])
            let session = try #require(try await desk.finish(try await desk.begin()).session)
            #expect(session.authentication.amr == ["sms"])
            #expect(!session.canBeRaised)
        }
    }

    @Test func `of first sign-ins at one time all get the one account`() async throws {
        try await withDesk { desk in
            desk.upstream.willName("u-1")
            let states = [
                try await desk.begin(), try await desk.begin(), try await desk.begin(), try await desk.begin(),
            ]
            let subjects = try await withThrowingTaskGroup { group in
                for state in states { group.addTask { try await desk.finish(state).session?.subject } }
                return try await group.reduce(into: Set<Subject?>()) { $0.insert($1) }
            }
            #expect(subjects.count == 1)
            #expect(!subjects.contains(nil))
        }
    }
}

import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

@Suite struct PushedRequestsRFC9126Tests {
    private func withRequests(
        limits: LimitSettings = LimitSettings(), _ body: (PushedRequests, Provider) async throws -> Void
    ) async throws {
        try await withProvider { provider async throws in
            var pushing = Client(id: "pushing", name: "A website that pushes", kind: .web)
            pushing.secretDigest = provider.secret.digest
            pushing.redirectURIs = [
                try RedirectURI(
                    registering: "https://rp.example/callback",
                    rules: RedirectURIRules(isNative: false, allowsLocalhost: false))
            ]
            let clients = provider.service.clients
            clients.add(pushing)
            let storage = provider.service.storage
            let refusals = RefusalLog(audit: storage, limiter: UnlimitedRateLimiter())
            try await body(
                PushedRequests(
                    rules: AuthorizationRequestRules(
                        issuer: issuerName, clients: clients, idTokens: provider.idTokens),
                    authenticator: ClientAuthenticator(
                        clients: clients, issuer: issuerName, assertions: storage, refusals: refusals,
                        limiter: UnlimitedRateLimiter(), limits: limits),
                    store: storage, proofs: nil, refusals: refusals,
                    limiter: InProcessRateLimiter(clock: .parameter), limits: limits, keys: provider.service.keys,
                    time: provider.service.clock.source), provider)
        }
    }

    private func form(_ changes: [String: String?] = [:]) throws -> FormParameters {
        var form: [String: String] = [
            "response_type": "code", "redirect_uri": "https://rp.example/callback", "scope": "openid", "state": "s",
            "code_challenge": CodeChallenge(for: try #require(CodeVerifier(verifier))).value,
            "code_challenge_method": "S256",
        ]
        for (name, value) in changes { form[name] = value }
        return try Provider.parameters(form.sorted { $0.key < $1.key })
    }

    private func push(
        _ requests: PushedRequests, _ provider: Provider, _ parameters: FormParameters
    ) async throws -> Secret<String> {
        try await requests.push(
            parameters, basic: .given(id: "pushing", secret: Secret(provider.secret.expose())), origin: origin())
    }

    /// What comes of a browser that brings a request URI.
    private func authorize(
        _ uri: Secret<String>, at authorizations: Authorizations, as client: String = "pushing",
        from browser: OpaqueSecret = .make(.formBinding, random: .system), in session: WebSession? = nil
    ) async throws -> AuthorizationOutcome {
        try await authorizations.begin(
            try Provider.parameters([("client_id", client), ("request_uri", uri.expose())]),
            browser: browser, session: session, origin: origin())
    }

    /// A sign-in of alice that lasts for ten hours.
    private func longSession(in provider: Provider) async throws -> WebSession {
        let now = provider.service.clock.now
        let session = WebSession(
            id: "alices", secretDigest: "d",
            lineage: .signIn(
                of: "alice", authentication: Authentication(time: now), at: now, lifetime: .seconds(36_000)),
            clientID: website, createdAt: now, idleLifetime: .seconds(36_000), lastSeenAt: now)
        #expect(try await provider.service.storage.open(session, replacing: nil, events: []))
        return session
    }

    /// The upkeep of the database.
    private func forgetExpired(in provider: Provider) async throws {
        let now = provider.service.clock.now
        _ = try await provider.service.storage.purgePushedRequests(expiredBefore: now, limit: 10)
        _ = try await provider.service.storage.purgeUses(expiredBefore: now, limit: 10)
    }

    @Test func `§2.2: a good request gets a URI that stands for it`() async throws {
        try await withRequests { requests, provider in
            let uri = try await push(requests, provider, try form()).expose()
            #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
            let secret = try #require(
                OpaqueSecret(
                    String(uri.dropFirst(AuthorizationRequestReader.requestURIPrefix.count)), kind: .pushedRequest))
            let pushed = try #require(
                try await provider.service.storage.pushedRequest(digest: secret.digest))
            #expect(pushed.clientID == "pushing")
            let parameters = try FormParameters(parsing: pushed.parameters.utf8)
            #expect(parameters["state"] == "s")
            // The client named itself in the header alone; what is kept names it for later.
            #expect(parameters["client_id"] == "pushing")
        }
    }

    @Test func `an ID token that is pushed as a hint is stored sealed, and counts as long as its request`() async throws
    {
        try await withRequests { requests, provider in
            let now = provider.service.clock.now
            let claims = IDTokenClaims(
                subject: "alice", audience: "pushing", sessionID: "s", authentication: Authentication(), issuedAt: now,
                notAfter: now + .seconds(60))
            let hint = try provider.idTokens.sign(claims, accessToken: nil, algorithm: .es256, at: now).expose()
            provider.service.clock.advance(.milliseconds(999))
            let uri = try await push(requests, provider, try form(["id_token_hint": hint]))
            let secret = try #require(
                OpaqueSecret(
                    String(uri.expose().dropFirst(AuthorizationRequestReader.requestURIPrefix.count)),
                    kind: .pushedRequest))
            let kept = try #require(try await provider.service.storage.pushedRequest(digest: secret.digest)).parameters
            #expect(!kept.contains(hint))
            provider.service.clock.advance(.milliseconds(89_999))
            let outcome = try await authorize(uri, at: provider.authorizations(hints: provider.idTokens))
            guard case .signIn = outcome else { Issue.record("\(outcome)"); return }
        }
    }

    @Test func `a sealed hint opens for its client alone, and one of an earlier version is what it says`() throws {
        let hints = PushedHints(keys: Reloadable(keyRing("k1")), time: FixedClock().source)
        let form = "client_id=a&id_token_hint=e30.e30.c2ln&state=s"
        let kept = try hints.sealed(form, for: "a")
        #expect(kept.hasPrefix("client_id=a&id_token_hint=") && kept.hasSuffix("&state=s") && kept != form)
        #expect(hints.opened(kept, for: "a") == form)
        #expect(hints.opened(kept, for: "b") == kept)
        #expect(hints.opened(form, for: "a") == form)
    }

    @Test func `§2.2: a request URI is good for ninety seconds, and then for nobody`() async throws {
        try await withRequests { requests, provider in
            let authorizations = provider.authorizations()
            let uri = try await push(requests, provider, try form())
            provider.service.clock.advance(.milliseconds(89_999))
            let inTime = try await authorize(uri, at: authorizations)
            guard case .signIn = inTime else { Issue.record("\(inTime)"); return }
            provider.service.clock.advance(.milliseconds(1))
            #expect(try await authorize(uri, at: authorizations).isOfUnusableURI)
        }
    }

    @Test func `§2.2: a request URI that got its code leads to no sign-in page any more`() async throws {
        try await withRequests { requests, provider in
            provider.service.change("pushing") { $0.isFirstParty = true }
            let session = try await longSession(in: provider)
            let authorizations = provider.authorizations()
            let uri = try await push(requests, provider, try form())
            let first = try await authorize(uri, at: authorizations, in: session)
            guard case .redirect(let location) = first, location.contains("code=") else {
                Issue.record("\(first)")
                return
            }
            #expect(try await authorize(uri, at: authorizations).isOfUnusableURI)
        }
    }

    @Test func `§7.3: a request URI gives one code, also when the database has forgotten its use`() async throws {
        try await withRequests { requests, provider in
            provider.service.change("pushing") { $0.isFirstParty = true }
            let clock = provider.service.clock
            let session = try await longSession(in: provider)
            let authorizations = provider.authorizations()
            let browser = OpaqueSecret.make(.formBinding, random: .system)
            func answer(_ page: String, in session: WebSession?) async throws -> AuthorizationOutcome {
                try await forgetExpired(in: provider)
                return try await authorizations.resume(page, browser: browser, session: session, origin: origin())
            }
            let uri = try await push(requests, provider, try form())
            var pages: [String] = []
            for _ in 0..<3 {
                let asked = try await authorize(uri, at: authorizations, from: browser)
                pages.append(try #require(asked.signInPage))
            }
            let first = try await answer(pages[0], in: session)
            guard case .redirect(let location) = first, location.contains("code=") else {
                Issue.record("\(first)")
                return
            }
            clock.advance(.seconds(120))
            #expect(try await answer(pages[1], in: session).isOfUnusableURI)
            // A page that is loaded again and again lives on; what it asks for does not.
            var page = pages[2]
            for _ in 0..<3 {
                page = try #require(try await answer(page, in: nil).signInPage)
                clock.advance(.seconds(900))
            }
            #expect(try await answer(page, in: session).isOfUnusableURI)
        }
    }

    @Test(
        arguments: [
            (["redirect_uri": nil], "invalid_request missing_redirect"),
            (["redirect_uri": "https://evil.example/"], "invalid_request unregistered_redirect"),
            (["request_uri": "urn:ietf:params:oauth:request_uri:x"], "invalid_request request_uri"),
            (["response_mode": "fragment"], "invalid_request response_mode"),
            (["response_type": "token"], "unsupported_response_type "),
            (["scope": "fly"], "invalid_scope "), (["code_challenge_method": "plain"], "invalid_request "),
            (["client_id": "another"], "invalid_request client_id"),
        ] as [([String: String?], String)])
    func `§2.3: what would be wrong in the browser is told to the client`(
        changes: [String: String?], expected: String
    ) async throws {
        try await withRequests { requests, provider async throws in
            #expect(try await refusal { try await push(requests, provider, try form(changes)) } == expected)
        }
    }

    @Test(arguments: ["state", "nonce", "max_age", "claims", "dpop_jkt", "scope", "code_challenge", "id_token_hint"])
    func `§2.3: what is not UTF-8 is refused, not lost`(name: String) async throws {
        try await withRequests { requests, provider in
            let good = AuthorizationParameter.serialize(try form([name: nil]))
            let parameters = try FormParameters(parsing: "\(good)&\(name)=%ff".utf8)
            #expect(try await refusal { try await push(requests, provider, parameters) } == "invalid_request ")
        }
    }

    /// ADR-0078: nodes of two versions seal and open each other's journeys.
    @Test func `a journey that an earlier version sealed goes on, with the time that it did not write down`() throws {
        let earlier = #"{"parameters":"scope=openid","pushed":"d","demanded_at":null,"browser":"b","asked":null}"#
        let journey = try #require(AuthorizationJourney(Array(earlier.utf8), at: noon))
        #expect(journey.pushed == PushedRequestReference(digest: "d", expiresAt: noon))
        #expect(AuthorizationJourney(journey.text, at: noon + .seconds(60)) == journey)
    }

    @Test(arguments: [
        ("redirect_uri", "https://evil.example/", "unregistered_redirect"), ("request_uri", "urn:x", "request_uri"),
        ("scope", "fly", "invalid_scope"),
    ])
    func `a refused request is in the audit log with its reason`(
        name: String, value: String, reason: String
    ) async throws {
        try await withRequests { requests, provider in
            _ = try await refusal { try await push(requests, provider, try form([name: value])) }
            let events = try await provider.service.storage.search(
                AuditFilter(type: .tokenRequestRefused), before: nil, limit: 5
            ).records.map(\.event)
            #expect(events.map(\.reason) == [reason] && events.map(\.clientID) == ["pushing"])
        }
    }

    @Test(arguments: ["state", "redirect_uri", "client_secret", "unheard_of"])
    func `§2.1: a repeated parameter is refused`(name: String) async throws {
        try await withRequests { requests, provider in
            let parameters = try Provider.parameters([(name, "a"), (name, "b")])
            #expect(
                try await refusal { try await push(requests, provider, parameters) }
                    == "invalid_request repeated_parameter")
            let events = try await provider.service.storage.search(AuditFilter(), before: nil, limit: 5)
                .records.map(\.event)
            #expect(events.map(\.type) == [.tokenRequestRefused])
            #expect(events.first?.reason == "repeated_parameter" && events.first?.clientID == nil)
            // Its secret was not looked at yet.
            #expect(events.first?.detail == #"{"named_client":"pushing"}"#)
        }
    }

    @Test(
        arguments: [
            ([], "accepted"), ([issuerName], "accepted"), ([issuerName, issuerName], "accepted"), ([""], "accepted"),
            (["https://a.example"], "invalid_target "), ([issuerName, "https://a.example"], "invalid_target "),
            (["\(issuerName)/"], "invalid_target "),
        ] as [([String], String)])
    func `RFC 8707 §2: a resource may be repeated, and is this issuer each time`(
        resources: [String], expected: String
    ) async throws {
        try await withRequests { requests, provider async throws in
            let good = AuthorizationParameter.serialize(try form())
            let text = resources.reduce(good) { "\($0)&resource=\(PercentEncoding.encode($1))" }
            let parameters = try FormParameters(parsing: text.utf8)
            #expect(try await refusal { try await push(requests, provider, parameters) } == expected)
        }
    }

    @Test func `§2: a client that is not believed pushes nothing`() async throws {
        try await withRequests { requests, _ in
            let found = try await refusal {
                try await requests.push(
                    try form(), basic: .given(id: "pushing", secret: Secret("dbc_nonsense")), origin: origin())
            }
            #expect(found == "invalid_client wrong_secret")
        }
    }

    @Test func `contract §12: a client that pushes too often has to wait`() async throws {
        var limits = LimitSettings()
        limits.pushedRequestPerClient = TokenBucket(perMinute: 2)
        try await withRequests(limits: limits) { requests, provider in
            for _ in 0..<2 { _ = try await push(requests, provider, try form()) }
            #expect(
                try await refusal { try await push(requests, provider, try form()) }
                    == "rate_limited pushed_request.client")
        }
    }

    @Test func `contract §12: nobody shuts out the users of a public client by pushing for it`() async throws {
        var limits = LimitSettings()
        limits.pushedRequestPerNetwork = TokenBucket(perMinute: 2)
        try await withRequests(limits: limits) { requests, provider in
            provider.service.clients.add(try AuthorizationFixture.native())
            func push(from address: String) async throws -> String {
                try await refusal {
                    try await requests.push(try AuthorizationFixture.form(), basic: .absent, origin: origin(address))
                }
            }
            for _ in 0..<2 { #expect(try await push(from: "203.0.113.7") == "accepted") }
            #expect(try await push(from: "203.0.113.8") == "rate_limited pushed_request.network")
            #expect(try await push(from: "198.51.100.7") == "accepted")
        }
    }

    @Test func `§4: a request is good for the client alone that pushed it, and stays so`() async throws {
        try await withRequests { requests, provider in
            let service = provider.service
            var other = Client(id: "other", name: "Another website", kind: .web)
            other.redirectURIs = try #require(service.clients.current["pushing"]).redirectURIs
            service.clients.add(other)
            let authorizations = provider.authorizations()
            let uri = try await push(requests, provider, try form())
            #expect(try await authorize(uri, at: authorizations, as: "other").isOfUnusableURI)
            let own = try await authorize(uri, at: authorizations)
            guard case .signIn(_, let request) = own else { Issue.record("\(own)"); return }
            #expect(request.client.id == "pushing")
        }
    }

    @Test func `a request is kept up to 16 KiB and no further`() async throws {
        try await withRequests { requests, provider in
            let claims = "{\"userinfo\":{\"\(String(repeating: "n", count: 17_000))\":null}}"
            let found = try await refusal { try await push(requests, provider, try form(["claims": claims])) }
            #expect(found == "invalid_request request_too_long")
            #expect(try await provider.service.events().last == "token_request.refused request_too_long")
        }
    }
}

extension AuthorizationOutcome {
    /// The request that a sign-in page carries.
    fileprivate var signInPage: String? { if case .signIn(let journey, _) = self { journey } else { nil } }

    /// Whether it is the page for a request URI that stands for nothing.
    fileprivate var isOfUnusableURI: Bool {
        if case .page(.invalidRequestURI, .unusableRequestURI) = self { true } else { false }
    }
}

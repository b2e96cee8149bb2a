import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Consent in a browser's session that came over an edge: what is asked about and missed is what the session can give,
/// and a yes counts for its code alone (contract §16).
@Suite struct ConsentAlongEdgesTests {
    private static let all = "openid profile email"

    /// A third party's website, and sessions in one browser there.
    private struct World: Sendable {
        static let site: ClientID = "site"

        let storage: any BridgeStorage
        let clock: FixedClock
        let browser = OpaqueSecret.make(.formBinding, random: .system)
        private let authorizations: Authorizations

        init(_ provider: Provider) throws {
            let service = provider.service
            storage = service.storage
            clock = service.clock
            service.clients.add(try AuthorizationFixture.website())
            authorizations = provider.authorizations()
        }

        /// - Parameters:
        ///   - scope: what the app's bearer had that opened it; `nil` for a sign-in of the user's own.
        ///   - edge: how that app did.
        func session(
            _ id: SessionID, of subject: Subject = "alice", openedBy scope: String?,
            along edge: SessionOpening = .loginToken
        ) async throws -> WebSession {
            let now = clock.now
            let session = WebSession(
                id: id, secretDigest: "digest of \(id)", subject: subject, clientID: Self.site,
                appClientID: scope == nil ? nil : app, parentID: nil, loginTokenID: nil,
                opening: scope == nil ? .authorize : edge, scope: scope.flatMap { Scope($0) },
                authentication: Authentication(time: now, acr: "aal1", amr: ["pwd"]), createdAt: now,
                expiresAt: now + .seconds(3600), idleLifetime: .seconds(3600), lastSeenAt: now)
            _ = try await storage.open(session, replacing: nil, events: [])
            return session
        }

        func ask(
            _ session: WebSession, _ scope: String = ConsentAlongEdgesTests.all, claims: String? = nil,
            prompt: String? = nil
        ) async throws -> AuthorizationOutcome {
            let form = try AuthorizationFixture.form([
                "client_id": Self.site.rawValue, "redirect_uri": "https://site.example/cb?tenant=a", "scope": scope,
                "claims": claims, "prompt": prompt,
            ])
            return try await authorizations.begin(form, browser: browser, session: session, origin: origin())
        }

        func agree(_ journey: String, _ session: WebSession) async throws -> AuthorizationOutcome {
            try await authorizations.settle(
                journey, agreed: true, browser: browser, session: session, origin: origin())
        }

        /// What a code is for, or the error that came in its place.
        func answer(_ outcome: AuthorizationOutcome) async throws -> String {
            guard case .redirect(let location) = outcome else { return "\(outcome)" }
            let query = try FormParameters(parsing: location.drop { $0 != "?" }.dropFirst().utf8)
            if let error = query["error"] { return error }
            let secret = try #require(query["code"].flatMap { OpaqueSecret($0, kind: .authorizationCode) })
            return try #require(try await storage.code(digest: secret.digest)).code.grant.scope.description
        }

        func consent(of subject: Subject = "alice") async throws -> Set<String> {
            try await storage.consent(of: subject, to: Self.site) ?? []
        }
    }

    private func withWorld(_ body: (World) async throws -> Void) async throws {
        try await withProvider { provider async throws in try await body(World(provider)) }
    }

    private func question(_ outcome: AuthorizationOutcome) throws -> (journey: String, scope: String) {
        guard case .askConsent(let journey, let request, _) = outcome else {
            throw OAuthError(.invalidRequest, "nothing is asked")
        }
        return (journey, request.consentScope.description)
    }

    @Test func `contract §16: what is asked about and given is what the session can give`() async throws {
        try await withWorld { world in
            let linked = try await world.session("linked", openedBy: "openid email")
            let question = try question(try await world.ask(linked))
            #expect(question.scope == "openid email")
            let answer = try await world.answer(try await world.agree(question.journey, linked))
            #expect(answer == "openid email")
        }
    }

    @Test(arguments: [SessionOpening.loginToken, .deviceCode])
    func `contract §16.3: a yes in a session of a link, or of a phone's approval, counts for its code alone`(
        edge: SessionOpening
    ) async throws {
        try await withWorld { world in
            let linked = try await world.session("linked", openedBy: Self.all, along: edge)
            let answer = try await world.answer(
                try await world.agree(try question(try await world.ask(linked)).journey, linked))
            #expect(answer == Self.all)
            #expect(try await world.consent().isEmpty)
            #expect(try await world.answer(try await world.ask(linked, prompt: "none")) == "consent_required")
            let own = try await world.session("own", openedBy: nil)
            #expect(try await world.answer(try await world.ask(own, prompt: "none")) == "consent_required")
            let asked = try question(try await world.ask(own))
            #expect(asked.scope == Self.all)
        }
    }

    @Test func `contract §16.3: what an own sign-in agreed to is not asked in a session of a link`() async throws {
        try await withWorld { world in
            let own = try await world.session("own", openedBy: nil)
            _ = try await world.agree(try question(try await world.ask(own, "openid")).journey, own)
            #expect(try await world.consent() == ["openid"])
            // Nor what the session cannot give.
            let linked = try await world.session("linked", openedBy: "openid")
            #expect(try await world.answer(try await world.ask(linked, prompt: "none")) == "openid")
        }
    }

    @Test func `contract §16: a page that was shown in a session of a link agrees to no more in another one`()
        async throws
    {
        try await withWorld { world in
            let linked = try await world.session("linked", openedBy: "openid")
            let question = try question(try await world.ask(linked))
            let own = try await world.session("own", openedBy: nil)
            let answer = try await world.answer(try await world.agree(question.journey, own))
            #expect(answer == "openid")
            #expect(try await world.consent() == ["openid"])
        }
    }

    @Test func `contract §16: a page of the user's own sign-in says no more than the session that answers it`()
        async throws
    {
        try await withWorld { world in
            let own = try await world.session("own", openedBy: nil)
            let question = try question(try await world.ask(own))
            let linked = try await world.session("linked", openedBy: "openid")
            let answer = try await world.answer(try await world.agree(question.journey, linked))
            #expect(answer == "openid")
            #expect(try await world.consent().isEmpty)
        }
    }

    @Test func `a yes that alice was asked for grants nothing in bob's session, and asks him`() async throws {
        try await withWorld { world in
            let alices = try await world.session("alices", openedBy: nil)
            let journey = try question(try await world.ask(alices)).journey
            let bobs = try await world.session("bobs", of: "bob", openedBy: nil)
            let outcome = try await world.agree(journey, bobs)
            guard case .askConsent(_, _, let asked) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(asked == "bob")
            #expect(try await world.consent(of: "bob").isEmpty)
            let answer = try await world.answer(try await world.agree(journey, alices))
            #expect(answer == Self.all)
        }
    }

    @Test func `contract §16: what is asked for by name is limited in the same way`() async throws {
        try await withWorld { world in
            let linked = try await world.session("linked", openedBy: "openid profile")
            let wish = #"{"userinfo":{"email":null,"name":null}}"#
            let asked = try question(try await world.ask(linked, "openid", claims: wish))
            #expect(asked.scope == "openid profile")
        }
    }

    @Test func `a session that can give nothing of what is asked for leads to the sign-in page, A10`() async throws {
        try await withWorld { world in
            let linked = try await world.session("linked", openedBy: "openid profile")
            #expect(try await world.answer(try await world.ask(linked, "email", prompt: "none")) == "login_required")
            guard case .signIn = try await world.ask(linked, "email") else {
                Issue.record("no sign-in page")
                return
            }
        }
    }
}

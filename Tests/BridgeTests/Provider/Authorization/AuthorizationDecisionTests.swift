import Bridge
import OAuth2
import Testing

/// What happens to a good request: docs/rules/authorization-request.md A10.
@Suite struct AuthorizationDecisionTests {
    private static let fixture = AuthorizationFixture.self

    private func decide(
        _ changes: KeyValuePairs<String, String?> = [:], client: Client? = nil, user: Subject? = "alice",
        signedIn age: Duration = .seconds(60), acr: String? = "aal1", demanded: Duration? = nil,
        consented: Set<String>? = nil, agreed: Bool = false, hasSecondFactor: Bool = false
    ) throws -> AuthorizationDecision {
        AuthorizationDecision.decide(
            try AuthorizationFixture.request(changes, client: client),
            .init(
                session: user.map {
                    .signIn(
                        of: $0, authentication: Authentication(time: noon - age, acr: acr, amr: ["pwd"]), at: noon,
                        lifetime: .seconds(600))
                },
                reachesClient: true, hasSecondFactor: hasSecondFactor, demandedAt: demanded.map { noon - $0 },
                consented: consented,
                agreed: agreed, now: noon))
    }

    @Test func `what a session that came over an edge cannot give is not missed, A10`() throws {
        let website = try AuthorizationFixture.website()
        let request = try AuthorizationFixture.request(
            [
                "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a", "scope": "openid email",
                "prompt": "none",
            ], client: website)
        func decide(limitedTo scope: Scope?) throws -> String {
            let lineage = Lineage(
                stored: "alice", opening: .loginToken, ancestry: [.authorize], parent: .none, scope: scope,
                authentication: Authentication(time: noon, acr: "aal1", amr: ["pwd"]), expiresAt: noon + .seconds(600))
            return word(
                AuthorizationDecision.decide(
                    request, .init(session: lineage, reachesClient: true, consented: ["openid"], now: noon)))
        }
        #expect(try decide(limitedTo: Scope("openid")) == "code")
        #expect(try decide(limitedTo: Scope("openid email")) == "consent_required")
        // Of another issuer's bearer, which limits nothing.
        #expect(try decide(limitedTo: nil) == "consent_required")
    }

    private func word(_ decision: AuthorizationDecision) -> String {
        switch decision {
        case .signIn: "sign in"
        case .askConsent: "ask"
        case .issueCode: "code"
        case .refuse(let code, _): code.rawValue
        }
    }

    @Test func `nobody signed in leads to the sign-in page`() throws {
        #expect(try decide(user: nil) == .signIn)
    }

    @Test func `a sign-in of any age is young enough for a limit of very many digits`() throws {
        #expect(try decide(["max_age": "99999999999999999999999"]) == .askConsent)
        #expect(try decide(["max_age": "10000000000"]) == .askConsent)
    }

    @Test func `a sub that claims asks for binds, as one value and as a list of one`() throws {
        for wanted in [#"{"value":"bob"}"#, #"{"values":["bob"]}"#] {
            let claims = #"{"id_token":{"sub":\#(wanted)}}"#
            #expect(try word(decide(["claims": claims, "prompt": "none"])) == "login_required")
            #expect(try decide(["claims": claims], user: "bob") == .askConsent)
        }
    }

    @Test func `prompt none never shows a page`() throws {
        #expect(try word(decide(["prompt": "none"], user: nil)) == "login_required")
        #expect(try word(decide(["prompt": "none"])) == "consent_required")
        #expect(try word(decide(["prompt": "none", "max_age": "10"])) == "login_required")
    }

    @Test func `an app that only its redirect tells apart is asked about every time`() throws {
        for uri in [AuthorizationFixture.privateUse, "http://127.0.0.1:4000/callback"] {
            #expect(try decide(["redirect_uri": uri], consented: ["openid"]) == .askConsent)
            #expect(
                try word(decide(["redirect_uri": uri, "prompt": "none"], consented: ["openid"])) == "consent_required")
        }
    }

    @Test func `a claimed https redirect is remembered for the scopes that were allowed`() throws {
        let https: KeyValuePairs<String, String?> = ["redirect_uri": AuthorizationFixture.https]
        #expect(try decide(https) == .askConsent)
        #expect(try decide(https, consented: ["openid"]) == .issueCode)
        #expect(
            try decide(
                ["redirect_uri": AuthorizationFixture.https, "scope": "openid email"], consented: ["openid"])
                == .askConsent)
        #expect(
            try decide(["redirect_uri": AuthorizationFixture.https, "prompt": "none"], consented: ["openid"])
                == .issueCode)
    }

    @Test(arguments: ["id_token", "userinfo"])
    func `claims asked for by name take the consent that their scopes take`(place: String) throws {
        func decided(_ name: String, consented: Set<String>, prompt: String? = nil) throws -> String {
            try word(
                decide(
                    [
                        "redirect_uri": AuthorizationFixture.https, "claims": #"{"\#(place)":{"\#(name)":null}}"#,
                        "prompt": prompt,
                    ], consented: consented))
        }
        #expect(try decided("email", consented: ["openid"]) == "ask")
        #expect(try decided("name", consented: ["openid", "email"], prompt: "none") == "consent_required")
        #expect(try decided("email", consented: ["openid", "email"], prompt: "none") == "code")
        // What no name opens is nothing to ask about.
        for name in ["acr", "groups", "unknown"] {
            #expect(try decided(name, consented: ["openid"]) == "code", "\(name)")
        }
    }

    @Test func `by name a client asks for no more than by scope`() throws {
        let claims: KeyValuePairs<String, String?> = [
            "claims": #"{"userinfo":{"name":null,"email":null},"id_token":{"email":{"essential":true},"x":null}}"#
        ]
        let mail = try AuthorizationFixture.native { $0.scope = Scope(tokens: [Scope.openID, "email"]) }
        let request = try AuthorizationFixture.request(claims, client: mail)
        #expect(request.requestedClaims == RequestedClaims(userInfo: ["email"], idToken: ["email"]))
        #expect(request.consentScope.tokens == ["openid", "email"])
        let bare = try AuthorizationFixture.native { $0.scope = Scope(tokens: [Scope.openID]) }
        #expect(try AuthorizationFixture.request(claims, client: bare).requestedClaims.isEmpty)
    }

    @Test func `prompt consent asks again, and a yes settles it`() throws {
        let again: KeyValuePairs<String, String?> = [
            "redirect_uri": AuthorizationFixture.https, "prompt": "consent",
        ]
        #expect(try decide(again, consented: ["openid"]) == .askConsent)
        #expect(try decide(again, consented: ["openid"], agreed: true) == .issueCode)
    }

    @Test func `our own app is not asked about after a sign-in, and never answered silently`() throws {
        let app = try AuthorizationFixture.native(firstParty: true)
        #expect(try decide(client: app, signedIn: .seconds(1), demanded: .seconds(5)) == .issueCode)
        #expect(try decide(client: app) == .askConsent)
        #expect(try word(decide(["prompt": "none"], client: app)) == "consent_required")
        #expect(try decide(["redirect_uri": AuthorizationFixture.https], client: app) == .issueCode)
    }

    @Test func `prompt login and max_age 0 want a sign-in that this request asked for`() throws {
        for change in [("prompt", "login"), ("prompt", "select_account"), ("max_age", "0")] {
            let changes: KeyValuePairs<String, String?> = [change.0: change.1]
            #expect(try decide(changes, signedIn: .seconds(0)) == .signIn, "\(change)")
            #expect(try decide(changes, signedIn: .seconds(1), demanded: .seconds(9)) == .askConsent, "\(change)")
            #expect(try decide(changes, signedIn: .seconds(9), demanded: .seconds(1)) == .signIn, "\(change)")
        }
    }

    @Test func `max_age lets a sign-in pass that is young enough`() throws {
        #expect(try decide(["max_age": "60"], signedIn: .seconds(60)) == .askConsent)
        #expect(try decide(["max_age": "59"], signedIn: .seconds(60)) == .signIn)
        let strict = try AuthorizationFixture.native { $0.maximumAuthenticationAge = .seconds(30) }
        #expect(try decide(["max_age": "3600"], client: strict, signedIn: .seconds(60)) == .signIn)
    }

    @Test func `no code for another user than the client means`() throws {
        let hint: KeyValuePairs<String, String?> = ["id_token_hint": AuthorizationFixture.ownHint]
        #expect(try decide(hint) == .askConsent)
        #expect(try decide(hint, user: "bob") == .signIn)
        let silent: KeyValuePairs<String, String?> = [
            "id_token_hint": AuthorizationFixture.ownHint, "prompt": "none",
        ]
        #expect(try word(decide(silent, user: "bob")) == "login_required")
        #expect(try word(decide(hint, user: "bob", signedIn: .zero, demanded: .seconds(5))) == "login_required")
        let claims = #"{"id_token":{"sub":{"value":"alice"}}}"#
        #expect(try decide(["claims": claims], user: "bob") == .signIn)
        #expect(try decide(["claims": claims]) == .askConsent)
    }

    @Test func `a client that needs two factors gets no code for one`() throws {
        let strict = try AuthorizationFixture.native { $0.minimumACR = "aal2" }
        #expect(try decide(client: strict) == .signIn)
        #expect(try word(decide(client: strict, signedIn: .zero, demanded: .seconds(5))) == "access_denied")
        #expect(try decide(client: strict, acr: "aal2") == .askConsent)
        let claims = #"{"id_token":{"acr":{"essential":true,"values":["aal2"]}}}"#
        #expect(try decide(["claims": claims]) == .signIn)
        #expect(try decide(["claims": claims], acr: "aal2") == .askConsent)
        // Voluntary ones never fail (OpenID Connect Core §3.1.2.1).
        #expect(try decide(["acr_values": "aal2"]) == .askConsent)
    }

    @Test func `after a phone's key the rest is asked for, where the user has a second factor that would do`() throws {
        let strict = try AuthorizationFixture.native { $0.minimumACR = "aal2" }
        let gold = try AuthorizationFixture.native { $0.minimumACR = "urn:example:gold" }
        func decided(_ client: Client, hasFactor: Bool, prompt: String? = nil) throws -> String {
            let authentication = Authentication(time: noon, acr: "aal1", amr: ["self_issued", "pop"])
            return word(
                AuthorizationDecision.decide(
                    try AuthorizationFixture.request(["prompt": prompt], client: client),
                    .init(
                        session: .signIn(
                            of: "alice", authentication: authentication, at: noon, lifetime: .seconds(600)),
                        reachesClient: true, hasSecondFactor: hasFactor, demandedAt: noon - .seconds(5), now: noon)))
        }
        #expect(try decided(strict, hasFactor: true) == "sign in")
        #expect(try decided(strict, hasFactor: false) == "access_denied")
        #expect(try decided(gold, hasFactor: true) == "access_denied", "a code would not do")
        #expect(try decided(strict, hasFactor: true, prompt: "none") == "login_required")
    }

    @Test func `a wish for two factors is tried once where there is a second factor, and fails nothing`() throws {
        let wish: KeyValuePairs<String, String?> = ["acr_values": "urn:example:gold aal2"]
        #expect(try decide(wish, hasSecondFactor: true) == .signIn)
        #expect(try decide(wish) == .askConsent)
        #expect(try decide(wish, acr: "aal2", hasSecondFactor: true) == .askConsent)
        #expect(try decide(wish, demanded: .seconds(5), hasSecondFactor: true) == .askConsent)
        #expect(try decide(["acr_values": "aal1 aal2"], hasSecondFactor: true) == .askConsent)
        #expect(try decide(["acr_values": "urn:example:gold"], hasSecondFactor: true) == .askConsent)
        let silent: KeyValuePairs<String, String?> = ["acr_values": "aal2", "prompt": "none"]
        #expect(try word(decide(silent, hasSecondFactor: true)) == "consent_required")
    }
}

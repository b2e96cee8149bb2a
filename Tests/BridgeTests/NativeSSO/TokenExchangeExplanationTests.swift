import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Explanations of token exchanges, held against what the endpoint then does.
@Suite struct TokenExchangeExplanationTests {
    /// A request of one row of the table of contract §5.4 that the endpoint answers, with its `client_id`.
    private func form(
        _ row: String, _ native: NativeProvider, changing changes: [String: String?] = [:]
    ) async throws -> [(String, String)] {
        let tokens = try await native.signIn()
        let toLoginToken = [
            ("grant_type", GrantType.tokenExchange.rawValue), ("client_id", "photos"),
            ("subject_token", tokens.accessToken.expose()), ("subject_token_type", TokenTypeURI.accessToken),
            ("requested_token_type", TokenTypeURI.loginToken),
        ]
        let form: [(String, String)]
        switch row {
        case "ID token": form = native.exchangeForm(tokens)
        case "access token": form = native.exchangeForm(tokens, by: TokenTypeURI.accessToken)
        case "cookies": form = native.exchangeForm(tokens, to: NativeProvider.shop, by: TokenTypeURI.accessToken)
        case "login token": form = toLoginToken
        default:
            let loginToken = try await native.post(toLoginToken).accessToken
            form = [
                ("grant_type", GrantType.tokenExchange.rawValue), ("client_id", website.rawValue),
                ("subject_token", loginToken.expose()), ("subject_token_type", TokenTypeURI.loginToken),
            ]
        }
        var fields = Dictionary(uniqueKeysWithValues: form)
        for (name, value) in changes { fields[name] = value }
        return fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Explains an exchange, and makes sure that asking has changed nothing.
    private func explain(_ form: [(String, String)], _ native: NativeProvider) async throws -> Explanation {
        let before = try await native.service.events()
        let explanation = try await native.exchanges.explain(
            try Provider.parameters(form), origin: origin(), at: native.clock.now)
        #expect(try await native.service.events() == before)
        return explanation
    }

    /// What the endpoint answers; a client with a secret shows it.
    private func make(_ form: [(String, String)], _ native: NativeProvider) async throws -> String {
        let id = form.first { $0.0 == "client_id" }?.1 ?? ""
        guard let client = native.service.clients.current[ClientID(rawValue: id)], !client.isPublic else {
            return try await refusal { try await native.post(form) }
        }
        let rest = form.filter { $0.0 != "client_id" }
        return try await refusal {
            try await native.post(rest, basic: .given(id: id, secret: Secret(native.provider.secret.expose())))
        }
    }

    @Test(arguments: ["ID token", "access token", "cookies", "login token", "redemption"])
    func `contract §13: every kind of exchange that the endpoint makes is explained as one that passes`(
        row: String
    ) async throws {
        try await withNativeProvider { native in
            let form = try await form(row, native)
            for _ in 0..<3 {
                let explanation = try await explain(form, native)
                #expect(explanation.passes, "\(explanation.json)")
            }
            #expect(try await make(form, native) == "accepted")
        }
    }

    @Test(arguments: ["ID token", "access token", "cookies", "login token", "redemption"])
    func `a grant_type may be left out, and one that is no exchange is none`(row: String) async throws {
        try await withNativeProvider { native in
            let bare = try await form(row, native, changing: ["grant_type": nil])
            #expect(try await explain(bare, native).passes)
            let other = bare + [("grant_type", GrantType.refreshToken.rawValue)]
            #expect(try await explain(other, native).reason == "grant_type")
            #expect(try await make(other, native) != "accepted")
        }
    }

    @Test(
        arguments: [
            ("ID token", ["requested_token_type": TokenTypeURI.loginToken], "requested_token_type"),
            ("access token", ["requested_token_type": TokenTypeURI.loginToken], "requested_token_type"),
            ("ID token", ["actor_token": nil], "missing_actor_token"),
            ("ID token", ["actor_token": nil, "actor_token_type": nil], "missing_actor_token"),
            ("ID token", ["scope": "profile"], "scope_without_openid"),
            ("login token", ["requested_token_type": nil], "missing_actor_token"),
            ("login token", ["subject_token": "nonsense"], "unknown_issuer"),
            ("login token", ["client_id": "music"], "other_client"),
            ("login token", ["client_id": "machine"], "grant_type"),
            ("login token", ["audience": "unheard-of"], "unknown_target"),
            ("login token", ["audience": "unreachable"], "target_not_reachable"),
            ("login token", ["ttl": "61"], "invalid_request"),
            ("login token", ["ttl": "a while"], "invalid_request"),
            ("redemption", ["requested_token_type": TokenTypeURI.refreshToken], "requested_token_type"),
            ("redemption", ["subject_token": "nonsense"], "malformed"),
            ("redemption", ["client_id": "rp"], "wrong_website"),
            ("redemption", ["client_id": "photos"], "wrong_website"),
            ("redemption", ["client_id": "machine"], "wrong_website"),
        ] as [(String, [String: String?], String)])
    func `contract §13: what the endpoint refuses is explained as that, with the reason of the audit log`(
        row: String, changes: [String: String?], reason: String
    ) async throws {
        try await withNativeProvider { native in
            let form = try await form(row, native, changing: changes)
            let explanation = try await explain(form, native)
            #expect(!explanation.passes)
            #expect(explanation.reason == reason)
            #expect(try await make(form, native) != "accepted")
        }
    }

    @Test func `contract §13: what an app above may not open is explained as that, at the issue and at the redemption`()
        async throws
    {
        try await withNativeProvider { native in
            let opened = try await native.exchange(try await native.signIn())
            let order = try await form(
                "login token", native, changing: ["client_id": "music", "subject_token": opened.accessToken.expose()])
            #expect(try await explain(order, native).passes)
            let token = try await native.post(order).accessToken
            let redemption = try await form("redemption", native, changing: ["subject_token": token.expose()])
            native.service.change(NativeProvider.photos) { $0.mayReach = [] }
            for form in [order, redemption] {
                #expect(try await explain(form, native).reason == "target_not_reachable_above")
                #expect(try await make(form, native) != "accepted")
            }
        }
    }

    @Test(arguments: ["replayed", "expired", "client_without_right", "subject_disabled"])
    func `a login token that nobody can redeem any more is explained so`(reason: String) async throws {
        try await withNativeProvider { native in
            let form = try await form("redemption", native)
            switch reason {
            case "replayed": #expect(try await make(form, native) == "accepted")
            case "expired": native.clock.advance(.seconds(61))
            case "client_without_right":
                native.service.change(NativeProvider.photos) { $0.mayReach = [] }
            default:
                // Another node does it, and this one's memory of the user is over.
                native.clock.advance(.seconds(2))
                try await native.storage.change(
                    "alice", UserChange(isDisabled: true), ending: .sample(at: native.clock.now))
            }
            #expect(try await explain(form, native).reason == reason)
            #expect(try await make(form, native) != "accepted")
        }
    }

    @Test func `a login token with a code challenge is explained with the verifier that is sent`() async throws {
        try await withNativeProvider { native in
            let challenge = CodeChallenge(for: try #require(CodeVerifier(verifier)))
            let order = try await form(
                "login token", native,
                changing: ["code_challenge": challenge.value, "code_challenge_method": "S256"])
            let token = try await native.post(order).accessToken
            let without = try await form("redemption", native, changing: ["subject_token": token.expose()])
            #expect(try await explain(without, native).reason == "wrong_verifier")
            #expect(try await explain(without + [("code_verifier", verifier)], native).passes)
            #expect(try await make(without + [("code_verifier", verifier)], native) == "accepted")
        }
    }

    @Test func `digits cannot be tried out: that they are there is all that is judged`() async throws {
        try await withNativeProvider { native in
            native.service.change(website) { $0.redeemMode = .code }
            let without = try await form("redemption", native)
            #expect(try await explain(without, native).reason == "code_missing")
            for digits in ["000000", "123 456"] {
                let explanation = try await explain(without + [("login_code", digits)], native)
                #expect(explanation.passes)
                #expect(explanation.steps.last == .init(check: "code is given", outcome: "not judged here"))
            }
        }
    }

    @Test func `contract §4.4: a website that keeps no secret is told that its own login token is not for it`()
        async throws
    {
        try await withNativeProvider { native in
            let form = try await form("redemption", native)
            native.service.change(website) {
                $0.authenticationMethod = .none
                $0.delivery = .cookies
            }
            #expect(try await explain(form, native).reason == "public_client")
            #expect(try await make(form, native) == "invalid_client public_client")
        }
    }
}

import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct LoginTokenExchangeTests {
    private func order(
        _ tokens: TokenResponse, client: ClientID = NativeProvider.photos, changing changes: [String: String?] = [:]
    ) -> [(String, String)] {
        var form: [String: String] = [
            "grant_type": GrantType.tokenExchange.rawValue, "client_id": client.rawValue,
            "subject_token": tokens.accessToken.expose(), "subject_token_type": TokenTypeURI.accessToken,
            "requested_token_type": TokenTypeURI.loginToken,
        ]
        for (name, value) in changes { form[name] = value }
        return form.sorted { $0.key < $1.key }
    }

    private func loginToken(
        _ native: NativeProvider, changing changes: [String: String?] = [:]
    ) async throws -> Secret<String> {
        try await native.post(order(try await native.signIn(), changing: changes)).accessToken
    }

    /// What a website's server sends.
    private func redeem(
        _ token: Secret<String>, _ native: NativeProvider, as client: ClientID = website, codeVerifier: String? = nil,
        proof: PresentedProof = .none, from requestOrigin: RequestOrigin = origin()
    ) async throws -> TokenResponse {
        var form = [
            ("grant_type", GrantType.tokenExchange.rawValue), ("subject_token", token.expose()),
            ("subject_token_type", TokenTypeURI.loginToken),
        ]
        if let codeVerifier { form.append(("code_verifier", codeVerifier)) }
        return try await native.post(
            form, basic: .given(id: client.rawValue, secret: Secret(native.provider.secret.expose())),
            proof: proof, from: requestOrigin)
    }

    @Test func `RFC 9449 §11.1: a proof is used up beside a good access token, and by a website that authenticates`()
        async throws
    {
        try await withNativeProvider { native in
            let key = try ProofKey()
            let (first, second) = (
                try key.proof(id: "1", at: native.clock.now), try key.proof(id: "2", at: native.clock.now)
            )
            let tokens = try await native.signIn()
            let foreign = order(tokens, changing: ["subject_token": "nonsense"])
            let wrong = try await refusal { try await native.post(foreign, proof: first) }
            #expect(wrong.hasPrefix("invalid_request"))
            let token = try await native.post(order(tokens), proof: first).accessToken
            let again = try await refusal { try await native.post(order(tokens), proof: first) }
            #expect(again == "invalid_dpop_proof proof_replayed")
            _ = try await redeem(token, native, proof: second)
            let replay = try await refusal { try await redeem(token, native, proof: second) }
            #expect(replay == "invalid_dpop_proof proof_replayed")
            let replays = try await native.records(.loginTokenReplayed)
            #expect(replays.isEmpty)
        }
    }

    @Test func `contract §5.4: an access token gives a login token, which is no access token`() async throws {
        try await withNativeProvider { native in
            let response = try await native.post(
                order(try await native.signIn(), changing: ["redirect": "/account/1", "ttl": "20"]))
            #expect(response.tokenType == "N_A")
            #expect(response.issuedTokenType == TokenTypeURI.loginToken)
            #expect(response.expiresIn == .seconds(20))
            let members = Dictionary(uniqueKeysWithValues: response.extraMembers.map { ($0.name, $0.value) })
            #expect(members["expires_at"]?.string == (native.clock.now + .seconds(20)).rfc3339)
            #expect(
                members["login_url"]?.string?.hasPrefix("https://bridge.example/login-with-token?") == true)
            let opened = try await native.service.open(response.accessToken)
            #expect(opened.opened?.session.subject == "alice")
        }
    }

    @Test func `contract §4.4: a website's server gets tokens of the session that the login token opened`() async throws
    {
        try await withNativeProvider { native in
            let response = try await redeem(try await loginToken(native), native)
            #expect(response.issuedTokenType == TokenTypeURI.accessToken)
            // The website may have the address too, but the app was not granted it.
            #expect(response.scope?.tokens == ["openid", "profile"])
            let identity = try claims(response.idToken)
            #expect(identity["aud"]?.string == "web")
            #expect(identity["sub"]?.string == "alice")
            #expect(try identity["sid"] == claims(response.accessToken)["sid"])
            #expect(try await native.isActive(response))
            let web = try #require(try await native.storage.session(id: try native.session(of: response)))
            #expect(web.opening == .loginToken)
            #expect(web.clientID == website)
        }
    }

    /// By this alone the two are told apart, so a website's scope must not make it untrue.
    @Test func `contract §6: a cookie's access token has no scope, and that of a website's server always has one`()
        async throws
    {
        try await withNativeProvider { native in
            func claims(of response: TokenResponse) async throws -> AccessTokenClaims {
                try await native.provider.accessTokens.active(response.accessToken, at: native.clock.now)
            }
            let view = try await native.exchange(
                try await native.signIn(), to: NativeProvider.shop, by: TokenTypeURI.accessToken)
            #expect(try await claims(of: view).isForCookie)
            let token = try await loginToken(native)
            native.service.change(website) { $0.scope = .empty }
            let response = try await redeem(token, native)
            #expect(response.scope?.tokens == ["openid"])
            #expect(try await !claims(of: response).isForCookie)
        }
    }

    @Test func `contract §4.4: a second use, by whichever way, ends what the first opened`() async throws {
        try await withNativeProvider { native in
            let token = try await loginToken(native)
            let response = try await redeem(token, native)
            #expect(try await refusal { try await redeem(token, native) } == "invalid_grant login_token_refused")
            #expect(try await !native.isActive(response))

            let other = try await loginToken(native)
            let again = try await redeem(other, native)
            #expect(try await native.service.open(other).word == "refused")
            #expect(try await !native.isActive(again))
        }
    }

    @Test func `a login token of another website stays good for its own`() async throws {
        try await withNativeProvider { native in
            let token = try await loginToken(native)
            #expect(
                try await refusal { try await redeem(token, native, as: "rp") } == "invalid_grant login_token_refused")
            let event = try #require(try await native.records(.loginTokenRefused).first)
            #expect(event.reason == "wrong_website" && event.subject == "alice" && event.targetClientID == website)
            #expect(event.detail == #"{"by_client":"rp"}"#)
            #expect(try await native.isActive(redeem(token, native)))
        }
    }

    @Test func `a login token of a website that is gone is unknown, and whose server brought it is said`() async throws
    {
        try await withNativeProvider { native in
            let token = try await loginToken(native)
            let others = native.service.clients.current.all.filter { $0.id != website }
            native.service.clients.replace(with: ClientDirectory(others, defaultTarget: nil))
            #expect(
                try await refusal { try await redeem(token, native, as: "rp") } == "invalid_grant login_token_refused")
            let event = try #require(try await native.records(.loginTokenRefused).first)
            #expect(event.reason == "unknown_website" && event.targetClientID == website)
            #expect(event.detail == #"{"by_client":"rp"}"#)
        }
    }

    @Test func `a login token with a code challenge needs its verifier, and a miss is not a use`() async throws {
        try await withNativeProvider { native in
            let challenge = CodeChallenge(for: try #require(CodeVerifier(verifier)))
            let token = try await loginToken(
                native, changing: ["code_challenge": challenge.value, "code_challenge_method": "S256"])
            #expect(try await refusal { try await redeem(token, native) } == "invalid_grant login_token_refused")
            #expect(try await native.isActive(redeem(token, native, codeVerifier: verifier)))
        }
    }

    @Test(arguments: ["malformed", "expired", "client_without_right", "subject_disabled"])
    func `every refusal is the same to the website's server, and its reason is recorded`(
        reason: String
    ) async throws {
        try await withNativeProvider { native in
            var token = try await loginToken(native)
            switch reason {
            case "malformed": token = Secret("nonsense")
            case "expired": native.clock.advance(.seconds(61))
            case "client_without_right":
                native.service.change(NativeProvider.photos) { $0.mayReach = [] }
            default:
                // Another node does it, and this one's memory of the user is over.
                native.clock.advance(.seconds(2))
                try await native.storage.change(
                    "alice", UserChange(isDisabled: true), ending: .sample(at: native.clock.now))
            }
            #expect(try await refusal { try await redeem(token, native) } == "invalid_grant login_token_refused")
            #expect(try await native.records(.loginTokenRefused).map(\.reason) == [reason])
        }
    }

    @Test func `contract §12: a network that sends many bad tokens is slowed down`() async throws {
        try await withNativeProvider { native in
            var answers: Set<String> = []
            for _ in 0..<200 { answers.insert(try await refusal { try await redeem(Secret("nonsense"), native) }) }
            #expect(answers == ["invalid_grant login_token_refused", "slow_down redeem.network"])
        }
    }

    /// What somebody sends in the name of a client that keeps no secret.
    private func redeem(
        _ token: Secret<String>, _ native: NativeProvider, asPublic client: ClientID
    ) async throws -> TokenResponse {
        try await native.post([
            ("grant_type", GrantType.tokenExchange.rawValue), ("client_id", client.rawValue),
            ("subject_token", token.expose()), ("subject_token_type", TokenTypeURI.loginToken),
        ])
    }

    @Test(arguments: ["good", "expired", "used", "forged"])
    func `contract §4.4: to any other client that keeps no secret a login token is as invalid as none`(
        state: String
    ) async throws {
        try await withNativeProvider { native in
            var token = try await loginToken(native)
            switch state {
            case "expired": native.clock.advance(.seconds(61))
            case "used": _ = try await redeem(token, native)
            case "forged": token = Secret("\(token.expose())x")
            default: break
            }
            for client in [NativeProvider.photos, NativeProvider.shop] {
                let found = try await refusal { try await redeem(token, native, asPublic: client) }
                #expect(found == "invalid_grant login_token_refused")
            }
            // Neither used up nor taken for a second use.
            #expect(try await native.records(.loginTokenReplayed).isEmpty)
            guard state == "good" else { return }
            let reasons = try await native.records(.loginTokenRefused).map(\.reason)
            #expect(reasons == ["wrong_website", "wrong_website"])
            #expect(try await native.isActive(redeem(token, native)))
        }
    }

    @Test func `contract §4.4: a website that keeps no secret redeems not even its own login token`() async throws {
        try await withNativeProvider { native in
            native.service.change(website) {
                $0.authenticationMethod = .none
                // It may come with the grant at all.
                $0.delivery = .cookies
            }
            let token = try await loginToken(native)
            #expect(
                try await refusal { try await redeem(token, native, asPublic: website) }
                    == "invalid_client public_client")
            #expect(try await native.records(.loginTokenRedeemed).isEmpty)
            #expect(try await native.service.open(token).word == "opened")
        }
    }

    @Test(
        arguments: [
            (["subject_token": "nonsense"], "invalid_request unknown_issuer"),
            (["client_id": "music"], "invalid_request other_client"),
            (["audience": "unheard-of"], "invalid_target unknown_target"),
            (["redirect": "https://evil.example/"], "invalid_redirect"),
            (["ttl": "1.5"], "invalid_request "),
            (["ttl": "0"], "invalid_request "),
            (["code_challenge_method": "S256"], "invalid_request "),
            (["bind": "somehow"], "invalid_request "),
        ] as [([String: String?], String)])
    func `contract §3: what is wrong with an order is told`(
        changes: [String: String?], expected: String
    ) async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let found = try await refusal { try await native.post(order(tokens, changing: changes)) }
            #expect(found.hasPrefix(expected), "\(found)")
        }
    }

    /// Whoever has the device secret can say that it is any app that this one shares its sign-ins with.
    @Test func `attack: by another app's sign-in an app opens no website that this other one may not`() async throws {
        try await withNativeProvider { native in
            let opened = try await native.exchange(try await native.signIn())
            let form = order(opened, client: NativeProvider.music)
            #expect(try await refusal { try await native.post(form) } == "accepted")
            func isRefused() async throws -> Bool {
                try await refusal { try await native.post(form) } == "unauthorized_client target_not_reachable_above"
            }
            native.service.change(NativeProvider.photos) { $0.mayReach = [] }
            #expect(try await isRefused())
            #expect(try await native.records(.loginTokenRefused).map(\.reason) == ["target_not_reachable_above"])
            native.service.change(NativeProvider.photos) { photos in
                photos.mayReach = [website]
                photos.canIssueLoginTokens = false
            }
            #expect(try await isRefused())
        }
    }

    @Test func `attack: an app opens nothing by the sign-in of one that shares no longer`() async throws {
        try await withNativeProvider { native in
            let opened = try await native.exchange(try await native.signIn())
            native.service.change(NativeProvider.photos) { $0.shareWith = [] }
            let found = try await refusal { try await native.post(order(opened, client: NativeProvider.music)) }
            #expect(found == "unauthorized_client shared_no_longer")
        }
    }

    @Test func `attack: a chain of exchanges opens no website that an app anywhere above may not`() async throws {
        try await withNativeProvider { native in
            native.service.change(NativeProvider.music) { $0.shareWith = ["guest"] }
            native.service.change("guest") { $0.isFirstParty = true }
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            let third = try await native.exchange(second, to: "guest", secret: first.deviceSecret)
            let form = order(third, client: "guest")
            #expect(try await refusal { try await native.post(form) } == "accepted")
            native.service.change(NativeProvider.photos) { $0.mayReach = [] }
            #expect(
                try await refusal { try await native.post(form) } == "unauthorized_client target_not_reachable_above")
        }
    }

    @Test func `a login token is worth nothing once an app above its own has lost the website`() async throws {
        try await withNativeProvider { native in
            let opened = try await native.exchange(try await native.signIn())
            let token = try await native.post(order(opened, client: NativeProvider.music)).accessToken
            native.service.change(NativeProvider.photos) { $0.mayReach = [] }
            #expect(try await refusal { try await redeem(token, native) } == "invalid_grant login_token_refused")
            #expect(try await native.service.open(token).word == "refused")
            #expect(
                try await native.records(.loginTokenRefused).map(\.reason)
                    == ["target_not_reachable_above", "target_not_reachable_above"])
            native.service.change(NativeProvider.photos) { $0.mayReach = [website] }
            let session = try #require(try await native.service.open(token).opened).session
            #expect(session.lineage.appsAbove == [NativeProvider.photos])
            // And a second use is a replay, whatever an app above may by then.
            native.service.change(NativeProvider.photos) { $0.mayReach = [] }
            #expect(try await native.service.open(token, from: origin("198.51.100.1")).word == "refused")
            #expect(try await native.records(.loginTokenReplayed).count == 1)
        }
    }

    @Test func `a login link carries no scope that its app, or one above it, has lost since its token was made`()
        async throws
    {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            let document = [Scope.openID, Scope.offlineAccess]
            native.service.change(NativeProvider.photos) { $0.scope = Scope(tokens: document) }
            for (tokens, client) in [(first, NativeProvider.photos), (second, NativeProvider.music)] {
                let token = try await native.post(order(tokens, client: client)).accessToken
                let session = try #require(try await native.service.open(token).opened).session
                #expect(session.lineage.scope == Scope(tokens: document + [Scope.deviceSSO]), "\(client)")
            }
        }
    }

    @Test func `a client's own token, which is of no user, gives no login token`() async throws {
        try await withNativeProvider { native in
            let machine = try await native.provider.token(
                [("grant_type", "client_credentials")],
                basic: .given(id: "machine", secret: Secret(native.provider.secret.expose())))
            #expect(
                try await refusal { try await native.post(order(machine)) } == "invalid_request clients_own_token")
        }
    }

    @Test func `RFC 9449 §7: a bound access token gives a login token to the holder of its key alone`() async throws {
        try await withNativeProvider { native in
            let key = try ProofKey()
            let tokens = try await native.signIn(proof: try key.proof(id: "1", at: native.clock.now))
            #expect(
                try await refusal { try await native.post(order(tokens)) } == "invalid_request sender_constrained")
            let response = try await native.post(
                order(tokens), proof: try key.proof(id: "2", at: native.clock.now))
            #expect(response.tokenType == "N_A")
        }
    }

    @Test func `contract §12: a user who asks for many is slowed down, in the token endpoint's words`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            var answers: Set<String> = []
            for _ in 0..<100 {
                answers.insert(try await refusal { try await native.post(order(tokens)) }.prefix(9).description)
            }
            #expect(answers == ["accepted", "slow_down"])
        }
    }
}

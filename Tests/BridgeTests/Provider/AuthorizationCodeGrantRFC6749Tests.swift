import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct AuthorizationCodeGrantRFC6749Tests {
    @Test func `a code becomes an access token, a refresh token and an ID token of one session`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            let access = try claims(tokens.accessToken)
            let identity = try claims(tokens.idToken)
            #expect(tokens.refreshToken != nil)
            #expect(identity["nonce"]?.string == "n")
            #expect(identity["sid"] == access["sid"])
            #expect(identity["at_hash"]?.string == provider.key.halfHash(of: tokens.accessToken.expose()))
            #expect(
                try await provider.service.events() == [
                    "authorization_code.issued", "authorization_code.redeemed", "app_session.opened",
                ])
        }
    }

    @Test func `what a code is bound to must be shown, and a failed try leaves it whole`() async throws {
        try await withProvider { provider in
            let tries: [(String, (String) async throws -> TokenResponse)] = [
                ("invalid_grant other_client", { try await provider.redeem($0, client: "mute") }),
                ("invalid_grant redirect_uri", { try await provider.redeem($0, redirectURI: callback + "/") }),
                ("invalid_grant code_verifier", { try await provider.redeem($0, codeVerifier: nil) }),
                (
                    "invalid_grant code_verifier",
                    { try await provider.redeem($0, codeVerifier: String(repeating: "a", count: 43)) }
                ),
            ]
            for (expected, attempt) in tries {
                let code = try await provider.code(try provider.grant())
                #expect(try await refusal { try await attempt(code) } == expected)
                #expect(try await refusal { try await provider.redeem(code) } == "accepted")
            }
        }
    }

    @Test func `a redirect URI may be left out where a challenge binds the code, and only there`() async throws {
        try await withProvider { provider in
            let bound = try await provider.code(try provider.grant())
            #expect(try await refusal { try await provider.redeem(bound, redirectURI: nil) } == "accepted")
            let loose = try await provider.code(try provider.grant(client: "rp", challenge: false))
            #expect(
                try await refusal {
                    try await provider.redeem(
                        loose, client: nil, redirectURI: nil, codeVerifier: nil, basic: provider.basic)
                } == "invalid_grant missing_redirect_uri")
        }
    }

    @Test func `a verifier without a challenge is a downgrade`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant(client: "rp", challenge: false))
            #expect(
                try await refusal { try await provider.redeem(code, client: nil, basic: provider.basic) }
                    == "invalid_request pkce_downgrade")
        }
    }

    @Test(arguments: [(3600, 300), (100, 100)])
    func `an ID token lives five minutes, and no longer than the session that it speaks of`(
        left: Int, lives: Int
    ) async throws {
        try await withProvider { provider in
            let browser = WebSession(
                id: "browser", secretDigest: "digest",
                lineage: .signIn(
                    of: "alice", authentication: Authentication(time: noon), at: noon, lifetime: .seconds(left)),
                clientID: website, createdAt: noon, idleLifetime: .seconds(left), lastSeenAt: noon)
            _ = try await provider.service.storage.open(browser, replacing: nil, events: [])
            let code = try await provider.code(try provider.grant(scope: [Scope.openID], browser: browser.id))
            let identity = try claims(try await provider.redeem(code).idToken)
            #expect(identity["exp"]?.integer == noon.seconds + Int64(lives))
        }
    }

    @Test func `no token outlives the session that it is of`() async throws {
        try await withProvider { provider in
            let browser = WebSession(
                id: "ending", secretDigest: "digest of ending",
                lineage: .signIn(
                    of: "alice", authentication: Authentication(time: noon), at: noon, lifetime: .seconds(120)),
                clientID: website, createdAt: noon, idleLifetime: .seconds(120), lastSeenAt: noon)
            _ = try await provider.service.storage.open(browser, replacing: nil, events: [])
            let tokens = try await provider.signIn(
                try provider.grant(scope: [Scope.openID, "profile"], browser: browser.id))
            let end = (noon + .seconds(120)).seconds
            #expect(tokens.expiresIn == .seconds(120))
            #expect(try claims(tokens.accessToken)["exp"]?.integer == end)
            #expect(try claims(tokens.idToken)["exp"]?.integer == end)
        }
    }

    /// A browser's session that may stay unused for half a minute.
    private func shortBrowser(_ id: SessionID, at now: Timestamp) -> WebSession {
        WebSession(
            id: id, secretDigest: "digest of \(id)",
            lineage: .signIn(
                of: "alice", authentication: Authentication(time: noon), at: now, lifetime: .seconds(3600)),
            clientID: website, createdAt: now, idleLifetime: .seconds(30), lastSeenAt: now)
    }

    @Test func `§16.6: a code is worth nothing once its browser's session has lain unused for too long`() async throws {
        try await withProvider { provider in
            let browser = shortBrowser("browser", at: noon)
            _ = try await provider.service.storage.open(browser, replacing: nil, events: [])
            let early = try await provider.code(try provider.grant(browser: browser.id))
            let late = try await provider.code(try provider.grant(browser: browser.id))
            provider.service.clock.advance(.seconds(29))
            #expect(try await refusal { try await provider.redeem(early) } == "accepted")
            provider.service.clock.advance(.seconds(1))
            #expect(try await refusal { try await provider.redeem(late) } == "invalid_grant session_ended")
        }
    }

    @Test func `a code goes on with the session that took its browser's place`() async throws {
        try await withProvider { provider in
            let first = shortBrowser("first", at: noon)
            _ = try await provider.service.storage.open(first, replacing: nil, events: [])
            let code = try await provider.code(try provider.grant(browser: first.id))
            provider.service.clock.advance(.seconds(20))
            let now = provider.service.clock.now
            _ = try await provider.service.storage.open(
                shortBrowser("second", at: now), replacing: ReplacedSession.sample(first, at: now), events: [])
            provider.service.clock.advance(.seconds(20))
            #expect(try await refusal { try await provider.redeem(code) } == "accepted")
        }
    }

    @Test func `a client that comes to want two factors redeems no code of a sign-in with one`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant())
            provider.service.change(app) { $0.minimumACR = AuthenticationLevel.twoFactors.rawValue }
            let outcome = try await refusal { try await provider.redeem(code) }
            #expect(outcome == "invalid_grant authentication_too_weak")
        }
    }

    @Test func `§16.1: a code keeps the strength that it was granted with when its session is raised`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant(browser: "browser"))
            try await provider.raise("browser")
            let tokens = try await provider.redeem(code)
            let renewed = try await provider.refresh(tokens.refreshToken)
            for token in [tokens.accessToken, renewed.accessToken] {
                let told = try claims(token)
                #expect(told["acr"]?.string == "aal1")
                #expect(told["amr"] == JSONValue.array([.string("pwd")]))
            }
        }
    }

    @Test func `§16.1: a client that wants two factors redeems no code of before the second one`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant(browser: "browser"))
            try await provider.raise("browser")
            provider.service.change(app) { $0.minimumACR = AuthenticationLevel.twoFactors.rawValue }
            let outcome = try await refusal { try await provider.redeem(code) }
            #expect(outcome == "invalid_grant authentication_too_weak")
        }
    }

    @Test func `a code dies with its minute`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant())
            provider.service.clock.advance(.seconds(60))
            #expect(try await refusal { try await provider.redeem(code) } == "invalid_grant expired_code")
        }
    }

    @Test func `a second use ends what the first opened, at once`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant())
            let tokens = try await provider.redeem(code)
            #expect(try await refusal { try await provider.redeem(code) } == "invalid_grant code_reused")
            #expect(
                try await refusal {
                    try await provider.accessTokens.active(tokens.accessToken, at: provider.service.clock.now)
                } == "inactive")
            #expect(
                try await refusal { try await provider.refresh(tokens.refreshToken) }
                    == "invalid_grant session_ended")
        }
    }

    @Test func `a second use after the code's minute ends what the first opened, too`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant())
            let tokens = try await provider.redeem(code)
            provider.service.clock.advance(.seconds(60))
            #expect(try await refusal { try await provider.redeem(code) } == "invalid_grant code_reused")
            #expect(
                try await refusal { try await provider.refresh(tokens.refreshToken) }
                    == "invalid_grant session_ended")
        }
    }

    @Test func `a second use that ends a session is written, and not counted among what was left out`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant())
            _ = try await provider.redeem(code)
            // Three misses, which are all that is written of one code.
            for _ in 0..<3 { _ = try await refusal { try await provider.redeem(code, codeVerifier: nil) } }
            for leftOut in [[:], [.authorizationCodeReused: 1]] as [[AuditEventType: Int]] {
                #expect(try await refusal { try await provider.redeem(code) } == "invalid_grant code_reused")
                let reuses = try await provider.service.events().count { $0.hasPrefix("authorization_code.reused") }
                #expect(reuses == 1)
                #expect(try await provider.refusals.writeSuppressed(at: provider.service.clock.now) == leftOut)
            }
        }
    }

    @Test func `who lacks the verifier cannot end what a code opened`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant())
            let tokens = try await provider.redeem(code)
            _ = try await refusal { try await provider.redeem(code, codeVerifier: nil) }
            #expect(try await refusal { try await provider.refresh(tokens.refreshToken) } == "accepted")
        }
    }

    @Test func `a code goes with the browser session under which it was given`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant(browser: "browser"))
            try await provider.service.endings.end(
                .webSession("browser"), .signOut(origin: origin(), at: provider.service.clock.now))
            #expect(try await refusal { try await provider.redeem(code) } == "invalid_grant unknown_code")
        }
    }

    @Test func `without openid there is no ID token`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn(try provider.grant(scope: ["profile"]))
            #expect(tokens.idToken == nil)
            #expect(try claims(tokens.accessToken)["scope"]?.string == "profile")
        }
    }
}

import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Contract §3.
@Suite struct LoginTokenIssuerTests {
    @Test func `a token is issued for the default website, for 60 seconds, with its URL`() async throws {
        try await withService { service async throws in
            let answer = try await service.issue()
            #expect(answer.expiresIn == 60 && answer.expiresAt == noon + .seconds(60))
            #expect(
                answer.loginURL.expose() == "https://bridge.example/login-with-token?token=\(answer.token.expose())")
            #expect(try await service.events() == ["login_token.issued"])
        }
    }

    @Test func `a redirect is sealed and shown in the URL, encoded`() async throws {
        try await withService { service async throws in
            let answer = try await service.issue(LoginTokenIssueRequest(redirect: Array("/account/a?b=c".utf8), ttl: 1))
            #expect(answer.loginURL.expose().hasSuffix("&redirect=%2Faccount%2Fa%3Fb%3Dc"))
            #expect(answer.expiresIn == 1)
        }
    }

    @Test(arguments: [
        (LoginTokenIssueRequest(ttl: 0), ErrorCode.invalidRequest), (LoginTokenIssueRequest(ttl: 61), .invalidRequest),
        (LoginTokenIssueRequest(codeChallenge: "x"), .invalidRequest),
        (LoginTokenIssueRequest(codeChallengeMethod: "S256"), .invalidRequest),
        (LoginTokenIssueRequest(codeChallenge: "x", codeChallengeMethod: "plain"), .invalidRequest),
        (LoginTokenIssueRequest(codeChallenge: "x", codeChallengeMethod: "S256"), .invalidRequest),
        (LoginTokenIssueRequest(bind: "device"), .invalidRequest),
        (LoginTokenIssueRequest(targetClientID: "nobody"), .invalidTarget),
        (LoginTokenIssueRequest(targetClientID: "app"), .invalidTarget),
        (LoginTokenIssueRequest(targetClientID: "unreachable"), .unauthorizedClient),
        // Of several flaws: first what the app may not, then what is malformed, then the website (contract §3).
        (LoginTokenIssueRequest(targetClientID: "unreachable", ttl: 61), .unauthorizedClient),
        (LoginTokenIssueRequest(targetClientID: "nobody", ttl: 61), .invalidRequest),
        (LoginTokenIssueRequest(targetClientID: "nobody", codeChallenge: "x"), .invalidRequest),
        (LoginTokenIssueRequest(targetClientID: "nobody", bind: "device"), .invalidRequest),
        (LoginTokenIssueRequest(targetClientID: "nobody", redirect: Array("/admin".utf8)), .invalidTarget),
        (LoginTokenIssueRequest(redirect: Array("/admin".utf8), ttl: 61), .invalidRequest),
        (LoginTokenIssueRequest(redirect: Array("https://evil.example".utf8)), .invalidRedirect),
        (LoginTokenIssueRequest(redirect: Array("/admin".utf8)), .invalidRedirect),
        (LoginTokenIssueRequest(idempotencyKey: ""), .invalidRequest),
        (LoginTokenIssueRequest(idempotencyKey: String(repeating: "k", count: 256)), .invalidRequest),
        (LoginTokenIssueRequest(idempotencyKey: "with space"), .invalidRequest),
    ])
    func `a malformed or forbidden request is refused with its code, and recorded`(
        request: LoginTokenIssueRequest, code: ErrorCode
    ) async throws {
        try await withService { service async throws in
            #expect(try await service.refusal(of: request).code == code)
            let event = try #require(try await service.events().first)
            #expect(event.hasPrefix(code == .invalidRedirect ? "redirect.refused" : "login_token.refused"))
        }
    }

    @Test(arguments: [
        ("https://evil.example", "redirect must be a path"), ("//evil.example", "redirect must be a path"),
        ("/contacts\n", "redirect must be a path"), ("/notlisted", "its return_paths say what is"),
        ("/" + String(repeating: "a", count: 1024), "longer than 1024 bytes"),
    ])
    func `a developer is told whether a redirect is malformed or not listed`(
        redirect: String, words: String
    ) async throws {
        try await withService { service async throws in
            let error = try await service.refusal(of: LoginTokenIssueRequest(redirect: Array(redirect.utf8)))
            #expect(error.publicDescription?.contains(words) == true)
        }
    }

    @Test func `a client without the right or without registration is refused`() async throws {
        try await withService { service async throws in
            for client: ClientID in ["mute", "nobody"] {
                let bearer = service.bearer(client: client)
                let error = try await service.refusal(of: LoginTokenIssueRequest(), bearer: bearer)
                #expect(error.code == .unauthorizedClient)
            }
        }
    }

    @Test func `of a client that nobody has and that is a secret, the log keeps the length alone`() async throws {
        try await withService { service async throws in
            let secret = OpaqueSecret.make(.clientSecret, random: .system).expose()
            for name in [secret, "nobody"] {
                let bearer = service.bearer(client: ClientID(rawValue: name))
                _ = try await service.refusal(of: LoginTokenIssueRequest(), bearer: bearer)
            }
            let events = try await service.storage.search(AuditFilter(), before: nil, limit: 9).records.map(\.event)
            let length = secret.utf8.count
            #expect(Set(events.map(\.clientID)) == [nil, "nobody"])
            #expect(
                Set(events.map(\.detail)) == [#"{"at":"issue","length":\#(length)}"#, #"{"at":"issue"}"#])
        }
    }

    @Test func `a refused issue names the website that was asked for, and of one that nobody has what was sent`()
        async throws
    {
        try await withService { service async throws in
            let secret = OpaqueSecret.make(.clientSecret, random: .system).expose()
            for name in ["unreachable", "confirming", "nobody", secret] {
                _ = try await service.refusal(of: LoginTokenIssueRequest(targetClientID: name, codeChallenge: "x"))
            }
            _ = try await service.refusal(of: LoginTokenIssueRequest(ttl: 61))
            _ = try await service.refusal(
                of: LoginTokenIssueRequest(redirect: Array("/notlisted".utf8)), bearer: service.bearer("bob"))
            let events = try await service.storage.search(AuditFilter(), before: nil, limit: 9).records.map(\.event)
            let told = events.reversed().map { "\($0.targetClientID?.rawValue ?? "-") \($0.detail ?? "-")" }
            let flaw = #""at":"issue","description":"code_challenge needs code_challenge_method=S256""#
            #expect(
                told == [
                    #"unreachable {"at":"issue"}"#, "confirming {\(flaw)}", #"- {\#(flaw),"target":"nobody"}"#,
                    #"- {\#(flaw),"target_length":\#(secret.utf8.count)}"#,
                    #"web {"at":"issue","description":"ttl must be between 1 and 60 seconds"}"#,
                    #"web {"length":10,"path":"/notlisted"}"#,
                ])
        }
    }

    @Test func `without a default website the request must name one`() async throws {
        try await withService(defaultTarget: nil) { service async throws in
            let error = try await service.refusal(of: LoginTokenIssueRequest())
            #expect(error.code == .invalidRequest)
            #expect(try await service.issue(LoginTokenIssueRequest(targetClientID: "web")).expiresIn == 60)
        }
    }

    @Test func `a website with neither return paths nor redirect URIs is no target`() async throws {
        try await withService { service async throws in
            service.clients.add(Client(id: website, name: "Bare", kind: .web))
            #expect(try await service.refusal(of: LoginTokenIssueRequest()).code == .invalidTarget)
            #expect(try await service.events() == ["login_token.refused target_without_paths"])
        }
    }

    @Test func `a website that wants a code gets no link without one where a key comes in the middle of an issue`()
        async throws
    {
        try await withService { service async throws in
            let users = OvertakenUsers(service.storage)
            let node = try Service(storage: service.storage, users: users)
            node.keys.replace(with: keyRing("k1", signsFrom: noon + .seconds(100)))
            users.beforeReadingARecord { node.keys.replace(with: keyRing("k1")) }
            await #expect(throws: StorageError.self) {
                try await node.issue(LoginTokenIssueRequest(targetClientID: "typing"))
            }
            #expect(try await node.events().isEmpty)
        }
    }

    @Test func `bindings are written from the app's address`() async throws {
        try await withService { service async throws in
            let codec = LoginTokenCodec(issuer: "https://bridge.example", keys: service.keys)
            let address = try #require(NetworkAddress("203.0.113.7"))
            let network = try #require(NetworkPrefix("203.0.113.0/24"))
            let expected: [(String?, LoginTokenBinding.Network)] = [
                ("none", .none), ("network", .network(network)), ("exact", .exact(address)),
            ]
            for (bind, network) in expected {
                let answer = try await service.issue(LoginTokenIssueRequest(bind: bind))
                guard case .verified(let claims) = try await codec.verify(answer.token, at: noon) else {
                    Issue.record("not verified")
                    return
                }
                #expect(claims.binding.network == network)
            }
            let error = await #expect(throws: OAuthError.self) {
                try await service.issuer.issue(
                    LoginTokenIssueRequest(bind: "exact"), bearer: service.bearer(), origin: origin(nil))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `a user who came into being meanwhile is asked about once more`() async throws {
        let faults = RedemptionFaults()
        try await withService(faults: faults) { service async throws in
            faults.expectUnseenUsers(1)
            _ = try await service.issue()
            #expect(try await service.events() == ["login_token.issued"])
        }
    }

    @Test func `a user whom only writing finds is asked about once more, and then the store is away`() async throws {
        let faults = RedemptionFaults()
        try await withService(faults: faults) { service async throws in
            faults.expectUnseenUsers(3)
            let error = await #expect(throws: StorageError.self) { try await service.issue() }
            guard case .unavailable = error else {
                Issue.record("it was \(String(describing: error))")
                return
            }
            #expect(faults.expectedUnseenUsers == 1, "two writes")
            #expect(try await service.events().isEmpty)
        }
    }

    @Test func `a disabled user gets no token within the second`() async throws {
        try await withService { service async throws in
            _ = try await service.issue()
            try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            service.clock.advance(.seconds(1))
            #expect(try await service.refusal(of: LoginTokenIssueRequest()).code == .invalidToken)
        }
    }

    @Test(arguments: [
        (Authentication(), false), (Authentication(time: noon, acr: "aal1"), false),
        (Authentication(time: nil, acr: "aal2"), false),
        (Authentication(time: noon - .seconds(301), acr: "aal2"), false),
        (Authentication(time: noon - .seconds(300), acr: "aal2"), true),
    ])
    func `a website that wants a strong and fresh sign-in says so to the app (RFC 9470 §3)`(
        authentication: Authentication, isEnough: Bool
    ) async throws {
        try await withService { service async throws in
            service.change(website) {
                $0.minimumACR = "aal2"
                $0.maximumAuthenticationAge = .seconds(300)
            }
            let bearer = service.bearer(authentication: authentication)
            guard !isEnough else {
                _ = try await service.issuer.issue(LoginTokenIssueRequest(), bearer: bearer, origin: origin())
                return
            }
            let error = try await service.refusal(of: LoginTokenIssueRequest(), bearer: bearer)
            #expect(error.code == .insufficientUserAuthentication)
            #expect(
                error.challenge
                    == #"Bearer error="insufficient_user_authentication", acr_values="aal2", max_age="300""#)
            #expect(try await service.events().last == "login_token.refused authentication_too_weak")
        }
    }

    @Test func `a session that came from a login token cannot issue one, nor can an ended one`() async throws {
        try await withService { service async throws in
            let opened = try #require(try await service.open(try await service.issue().token).opened)
            let chained = service.bearer(sid: opened.session.id)
            let error = try await service.refusal(of: LoginTokenIssueRequest(), bearer: chained)
            #expect(error.code == .unauthorizedClient && error.detail == "chained_session")
            try await service.endings.end(
                .webSession(opened.session.id), .signOut(origin: origin(), at: service.clock.now))
            service.clock.advance(.seconds(1))
            #expect(try await service.refusal(of: LoginTokenIssueRequest(), bearer: chained).code == .invalidToken)
        }
    }

    private func bearer(_ service: Service, device: String?) -> BearerIdentity {
        BearerIdentity(
            subject: "alice", clientID: app, issuer: "https://backend.example", sessionID: nil, deviceID: device,
            authentication: Authentication(), expiresAt: service.clock.now + .seconds(3600))
    }

    @Test func `devices of one user are counted apart, and all together`() async throws {
        try await withService { service async throws in
            func issue(_ device: String?) async throws -> String? {
                do {
                    _ = try await service.issuer.issue(
                        LoginTokenIssueRequest(), bearer: bearer(service, device: device), origin: origin())
                    return nil
                } catch let error as OAuthError {
                    return error.detail
                }
            }
            for device in ["phone", nil] {
                for _ in 0..<5 { #expect(try await issue(device) == nil) }
                #expect(try await issue(device) == "issue.device")
            }
            for _ in 0..<5 { #expect(try await issue("tablet") == nil) }
            // What a device was refused was not counted for its user, who gets fifteen at once.
            #expect(try await issue("watch") == "issue.subject")
        }
    }

    @Test func `refused requests count, so nobody fills the log with them`() async throws {
        try await withService { service async throws in
            let bad = LoginTokenIssueRequest(redirect: Array("/not-listed".utf8))
            var codes: [ErrorCode] = []
            for _ in 0..<90 { codes.append(try await service.refusal(of: bad).code) }
            #expect(codes.prefix(5).allSatisfy { $0 == .invalidRedirect })
            #expect(codes.dropFirst(5).allSatisfy { $0 == .rateLimited })
            #expect(
                try await service.events()
                    == Array(repeating: "redirect.refused not_listed", count: 5)
                    + ["rate_limit.exceeded issue.device"])
        }
    }

    @Test func `the sixth token of a device within the minute is refused with a time to wait, and recorded once`()
        async throws
    {
        try await withService { service async throws in
            for _ in 0..<5 { _ = try await service.issue() }
            for _ in 0..<3 {
                let error = try await service.refusal(of: LoginTokenIssueRequest())
                #expect(error.code == .rateLimited && error.retryAfter == 66)
            }
            #expect(try await service.events().filter { $0 == "rate_limit.exceeded issue.device" }.count == 1)
            #expect(try await service.issue(subject: "bob").expiresIn == 60)
        }
    }

    @Test func `an app sees its own token's state and nobody else's`() async throws {
        try await withService { service async throws in
            let answer = try await service.issue()
            #expect(try await service.overview.status(of: answer.id, bearer: service.bearer()).word == .pending)
            for bearer in [service.bearer("bob"), service.bearer(client: "mute")] {
                let error = await #expect(throws: OAuthError.self) {
                    try await service.overview.status(of: answer.id, bearer: bearer)
                }
                #expect(error?.code == .notFound)
            }
            let missing = await #expect(throws: OAuthError.self) {
                try await service.overview.status(of: "nothing", bearer: service.bearer())
            }
            #expect(missing?.code == .notFound)
            service.clock.advance(.seconds(60))
            #expect(try await service.overview.status(of: answer.id, bearer: service.bearer()).word == .expired)
        }
    }

    @Test func `a redeemed token says when, and cannot be revoked`() async throws {
        try await withService { service async throws in
            let answer = try await service.issue()
            service.clock.advance(.seconds(5))
            _ = try await service.open(answer.token)
            let status = try await service.overview.status(of: answer.id, bearer: service.bearer())
            #expect(status.word == .redeemed && status.redeemedAt == noon + .seconds(5))
            let error = await #expect(throws: OAuthError.self) {
                try await service.overview.revoke(answer.id, bearer: service.bearer(), origin: origin())
            }
            #expect(error?.code == .conflict)
        }
    }

    @Test func `a revoked token is refused, and revoking it twice changes nothing`() async throws {
        try await withService { service async throws in
            let answer = try await service.issue()
            for _ in 0..<2 { try await service.overview.revoke(answer.id, bearer: service.bearer(), origin: origin()) }
            #expect(try await service.overview.status(of: answer.id, bearer: service.bearer()).word == .revoked)
            #expect(try await service.open(answer.token).word == "refused")
            #expect(
                try await service.events() == [
                    "login_token.issued", "login_token.revoked by_app", "login_token.refused revoked",
                ])
        }
    }
}

extension Service {
    /// The error that an issue ends with.
    func refusal(of request: LoginTokenIssueRequest, bearer: BearerIdentity? = nil) async throws -> OAuthError {
        let error = await #expect(throws: OAuthError.self) {
            try await issuer.issue(request, bearer: bearer ?? self.bearer(), origin: origin())
        }
        return try #require(error)
    }
}

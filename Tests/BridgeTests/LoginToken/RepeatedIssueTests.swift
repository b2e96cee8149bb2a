import OAuth2
import Testing

@testable import Bridge

/// An issue that is repeated with its `Idempotency-Key` (contract §3).
@Suite struct RepeatedIssueTests {
    @Test func `a repeat that is refused counts, one that gets its answer again does not`() async throws {
        try await withService { service async throws in
            let order = LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k")
            let first = try await service.issue(order)
            for _ in 0..<20 { #expect(try await service.issue(order).id == first.id) }
            let other = LoginTokenIssueRequest(ttl: 20, idempotencyKey: "k")
            for _ in 0..<4 { #expect(try await service.refusal(of: other).code == .idempotencyKeyReused) }
            #expect(try await service.refusal(of: other).code == .rateLimited)
            #expect(try await service.issue(order).id == first.id)
        }
    }

    @Test func `attack: a bearer that was narrowed gets no answer of a wider one`() async throws {
        try await withService { service async throws in
            func bearer(_ scope: [String]?) -> BearerIdentity {
                BearerIdentity(
                    subject: "alice", clientID: app, issuer: "https://backend.example", sessionID: nil,
                    authentication: Authentication(), scope: scope.map { Scope(tokens: $0) },
                    expiresAt: service.clock.now + .seconds(3600))
            }
            let order = LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k")
            func issue(_ scope: [String]) async throws -> TokenID {
                try await service.issuer.issue(order, bearer: bearer(scope), origin: origin()).id
            }
            let first = try await issue(["openid", "profile"])
            #expect(try await issue(["profile", "openid"]) == first)
            for scope in [["openid"], [], ["openidprofile"], nil] as [[String]?] {
                let error = try await service.refusal(of: order, bearer: bearer(scope))
                #expect(error.code == .idempotencyKeyReused, "\(scope ?? ["nothing said"])")
            }
        }
    }

    @Test func `attack: another app's bearer of the same user gets no answer by the first one's key`() async throws {
        try await withService { service async throws in
            service.change("mute") {
                $0.canIssueLoginTokens = true
                $0.mayReach = [website]
            }
            let order = LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k")
            func issue(_ client: ClientID) async throws -> TokenID {
                try await service.issuer.issue(order, bearer: service.bearer(client: client), origin: origin()).id
            }
            let first = try await issue(app)
            let other = try await issue("mute")
            #expect(other != first)
            #expect(try await issue(app) == first)
            #expect(try await issue("mute") == other)
        }
    }

    @Test func `attack: another issuer's bearer of a weaker sign-in gets no answer of a stronger one`() async throws {
        try await withService { service async throws in
            func bearer(_ authentication: Authentication) -> BearerIdentity {
                BearerIdentity(
                    subject: "alice", clientID: app, issuer: "https://backend.example", sessionID: "s",
                    authentication: authentication, expiresAt: service.clock.now + .seconds(3600))
            }
            let order = LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k")
            let strong = Authentication(time: noon, acr: "aal2", amr: ["pwd", "otp"])
            let first = try await service.issuer.issue(order, bearer: bearer(strong), origin: origin()).id
            let sameInOtherWords = Authentication(time: noon, acr: "aal2", amr: ["otp", "pwd"])
            #expect(
                try await service.issuer.issue(order, bearer: bearer(sameInOtherWords), origin: origin()).id == first)
            for weaker in [
                Authentication(time: noon, acr: "aal1", amr: ["pwd", "otp"]),
                Authentication(time: noon, acr: "aal2", amr: ["pwd"]),
                Authentication(time: noon + .seconds(-600), acr: "aal2", amr: ["pwd", "otp"]), Authentication(),
            ] {
                let error = try await service.refusal(of: order, bearer: bearer(weaker))
                #expect(error.code == .idempotencyKeyReused, "\(weaker)")
            }
        }
    }

    @Test func `a bearer of an issuer whose clock is ahead repeats as any other`() async throws {
        try await withService { service async throws in
            let order = LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k")
            // What is believed of its sign-in goes with our clock until that is there.
            func issue(believing time: Timestamp) async throws -> TokenID {
                let bearer = BearerIdentity(
                    subject: "alice", clientID: app, issuer: "https://backend.example", sessionID: "s",
                    authentication: Authentication(time: time), statedSignIn: noon + .seconds(3),
                    expiresAt: service.clock.now + .seconds(3600))
                return try await service.issuer.issue(order, bearer: bearer, origin: origin()).id
            }
            let first = try await issue(believing: noon)
            #expect(try await issue(believing: noon + .seconds(1)) == first)
        }
    }

    @Test func `the same Idempotency-Key gives the same answer and does not count`() async throws {
        try await withService { service async throws in
            let request = LoginTokenIssueRequest(redirect: Array("/contacts".utf8), idempotencyKey: "tap-1")
            let first = try await service.issue(request)
            service.clock.advance(.seconds(30))
            for _ in 0..<10 {
                let again = try await service.issue(request)
                #expect(again.token.expose() == first.token.expose() && again.expiresAt == first.expiresAt)
            }
            #expect(try await service.events() == ["login_token.issued"])
        }
    }

    @Test func `a repeat from another network gets the same answer, bound to the first one`() async throws {
        try await withService { service async throws in
            let request = LoginTokenIssueRequest(bind: "network", idempotencyKey: "tap-1")
            let first = try await service.issue(request)
            let otherPlace = origin("198.51.100.9", userAgent: "Firefox")
            let again = try await service.issuer.issue(request, bearer: service.bearer(), origin: otherPlace)
            #expect(again.token.expose() == first.token.expose())
            #expect(
                try await service.refusal(of: LoginTokenIssueRequest(bind: "exact", idempotencyKey: "tap-1")).code
                    == .idempotencyKeyReused)
            #expect(try await service.open(first.token, from: otherPlace).word == "refused")
            #expect(try await service.open(first.token).word == "opened")
        }
    }

    @Test func `the same key for another request is 422, and for another user it is another key`() async throws {
        try await withService { service async throws in
            let first = try await service.issue(LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k"))
            #expect(
                try await service.refusal(of: LoginTokenIssueRequest(ttl: 31, idempotencyKey: "k")).code
                    == .idempotencyKeyReused)
            let other = try await service.issue(LoginTokenIssueRequest(ttl: 30, idempotencyKey: "k"), subject: "bob")
            #expect(other.id != first.id)
        }
    }

    @Test func `of concurrent requests with one key all get the one token`() async throws {
        try await withService { service async throws in
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        try await service.issue(LoginTokenIssueRequest(idempotencyKey: "k")).token.expose()
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            // Of the five in a burst they took one.
            for _ in 1...4 { _ = try await service.issue() }
            #expect(try await service.refusal(of: LoginTokenIssueRequest()).code == .rateLimited)
        }
    }

    @Test func `after its token was revoked a key gives another one, which counts`() async throws {
        try await withService { service async throws in
            let request = LoginTokenIssueRequest(idempotencyKey: "k")
            let first = try await service.issue(request)
            try await service.overview.revoke(first.id, bearer: service.bearer(), origin: origin())
            let second = try await service.issue(request)
            #expect(second.id != first.id)
            #expect(try await service.issue(request).id == second.id)
            #expect(try await service.open(second.token).word == "opened")
            #expect(try await service.issue(request).id == second.id, "a used one is not issued again")
            // Of the five in a burst they took two.
            for _ in 1...3 { _ = try await service.issue() }
            #expect(try await service.refusal(of: LoginTokenIssueRequest()).code == .rateLimited)
        }
    }

    @Test func `after its token expired a key may be used anew`() async throws {
        try await withService { service async throws in
            let first = try await service.issue(LoginTokenIssueRequest(ttl: 10, idempotencyKey: "k"))
            service.clock.advance(.seconds(11))
            #expect(try await service.issue(LoginTokenIssueRequest(ttl: 20, idempotencyKey: "k")).id != first.id)
        }
    }

    @Test func `a repeat whose key was retired gives the same token, signed anew, and it opens one session`()
        async throws
    {
        try await withService { service async throws in
            let first = try await service.issue(LoginTokenIssueRequest(idempotencyKey: "k"))
            service.keys.replace(with: keyRing("k2"))
            let again = try await service.issue(LoginTokenIssueRequest(idempotencyKey: "k"))
            #expect(again.id == first.id && again.expiresAt == first.expiresAt)
            #expect(try await service.open(first.token).word == "refused")
            #expect(try await service.open(again.token).word == "opened")
            service.keys.replace(with: keyRing("k2", "k3"))
            let third = try await service.issue(LoginTokenIssueRequest(idempotencyKey: "k"))
            #expect(
                try await service.open(third.token, from: origin("198.51.100.9", userAgent: "Firefox")).word
                    == "refused")
        }
    }

    @Test func `a repeat whose code nobody can be told any more gives no link that asks for it`() async throws {
        try await withService { service async throws in
            let order = LoginTokenIssueRequest(targetClientID: "typing", idempotencyKey: "k")
            _ = try await service.issue(order)
            service.keys.replace(with: keyRing("k2"))
            await #expect(throws: StorageError.self) { try await service.issue(order) }
        }
    }

    @Test func `what was kept of an issue and is none is told as damage, not as a key that is missing`() async throws {
        let faults = RedemptionFaults()
        try await withService(faults: faults) { service async throws in
            let order = LoginTokenIssueRequest(idempotencyKey: "k")
            _ = try await service.issue(order)
            faults.damagePayloads(to: "{}")
            let error = await #expect(throws: StorageError.self) { try await service.issue(order) }
            guard case .corrupt = error else {
                Issue.record("it was \(String(describing: error))")
                return
            }
        }
    }

    @Test func `after everything of its user was ended a key gives another token`() async throws {
        try await withService { service async throws in
            let order = LoginTokenIssueRequest(idempotencyKey: "k")
            let first = try await service.issue(order)
            _ = try await service.endings.end(
                .user("alice"), Ending(at: service.clock.now, reason: .allSessionsRevoked, origin: origin()))
            let second = try await service.issue(order)
            #expect(second.id != first.id)
            #expect(try await service.open(first.token).word == "refused")
            #expect(try await service.open(second.token).word == "opened")
        }
    }

    @Test func `without a key that may sign, an issue and its repeat answer unavailable`() async throws {
        try await withService { service async throws in
            _ = try await service.issue(LoginTokenIssueRequest(idempotencyKey: "k"))
            service.keys.replace(with: keyRing("k3", signsFrom: noon + .seconds(100)))
            await #expect(throws: StorageError.self) {
                try await service.issue(LoginTokenIssueRequest(idempotencyKey: "k"))
            }
            await #expect(throws: StorageError.self) { try await service.issue() }
        }
    }
}

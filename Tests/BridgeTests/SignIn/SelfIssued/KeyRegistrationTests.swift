import StorageConformance
import Testing

@testable import Bridge
@testable import OAuth2

/// An app links its phone's key to the user who is signed in to it (contract §10; ADR-0044).
@Suite struct KeyRegistrationTests {
    private static let links = "https://bridge.example/api/self-issued/links"

    /// A user, the app that they are signed in to, and the key of their phone.
    private struct Desk: Sendable {
        let accounts: SignInDesk
        let phones: PhoneDesk
        let linkedKeys: LinkedKeys
        let registration: KeyRegistration
        let key: SigningKey

        init(_ service: Service, apps: Set<ClientID> = [app]) throws {
            accounts = try SignInDesk(service)
            phones = try PhoneDesk(service)
            key = try SigningKey.generate(.es256)
            let refusals = RefusalLog(audit: service.storage, limiter: phones.limiter)
            var configuration = SelfIssuedConfiguration(
                clientID: SelfIssuedDesk.site, origin: try #require(WebOrigin("https://bridge.example")),
                siteName: "Example")
            configuration.linkingApps = apps
            linkedKeys = LinkedKeys(
                storage: service.storage, endings: service.endings, limiter: phones.limiter, limits: LimitSettings(),
                refusals: refusals, time: service.clock.source)
            registration = KeyRegistration(
                linkedKeys: linkedKeys, configuration: configuration,
                approvers: PhoneApprovers(
                    apps: service.storage, clients: service.clients, limits: LimitSettings(), limiter: phones.limiter,
                    refusals: refusals, requiresSameNetwork: false), ring: service.keys, time: service.clock.source)
        }

        var service: Service { phones.service }
        var thumbprint: String { get throws { try SelfIssuedKey(jwk: key.publicKey.bareJWK).thumbprint } }

        func bearer(_ name: String = "alice", session: String? = nil) async throws -> BearerIdentity {
            try await phones.phone(session ?? "app-of-\(name)", of: Subject(rawValue: "sub-\(name)"))
        }

        func proof(
            _ nonce: String, _ changes: [String: JSONValue] = [:], without name: String? = nil,
            algorithm: String? = nil
        ) throws -> String {
            var claims: [String: JSONValue] = [
                "aud": .string(links), "nonce": .string(nonce),
                "iat": .number(String(service.clock.now.seconds)), "sub_jwk": key.publicKey.bareJWK,
            ]
            claims.merge(changes) { $1 }
            if let name { claims[name] = nil }
            let token = try CompactJWS.sign(Array(JSONValue.object(claims).text.utf8), type: "JWT", with: key)
            guard let algorithm else { return token }
            let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)"}"#.utf8))
            return ([header] + token.split(separator: ".").dropFirst().map(String.init)).joined(separator: ".")
        }

        /// The same claims, under a header that names a key.
        func proof(_ nonce: String, header jwk: JSONValue) throws -> String {
            let header = JSONValue.object(["alg": .string("ES256"), "jwk": jwk]).text
            let claims = try proof(nonce).split(separator: ".")[1]
            let message = "\(Base64URL.encode(Array(header.utf8))).\(claims)"
            return "\(message).\(Base64URL.encode(try key.signature(for: Array(message.utf8))))"
        }

        /// The name of what a step ends with.
        func refusal<Value: Sendable>(_ step: () async throws -> Value) async throws -> String {
            do {
                _ = try await step()
                return "none"
            } catch let error as OAuthError {
                return error.detail ?? error.code.rawValue
            } catch let error as SelfIssuedRefusal {
                return error.reason.rawValue
            }
        }

        func link(_ proof: String, by bearer: BearerIdentity) async throws -> LinkedKey {
            try await registration.link(proof, by: bearer, origin: origin())
        }

        func invite(_ bearer: BearerIdentity) async throws -> KeyRegistration.Invitation {
            try await registration.invite(bearer, origin: origin())
        }
    }

    @Test func `contract §10: an app links its phone's key, and the event says by which app and session`() async throws
    {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            let invitation = try await desk.invite(bearer)
            #expect(invitation.audience == Self.links && invitation.clientID == SelfIssuedDesk.site)
            #expect((8...256).contains(invitation.nonce.utf8.count) && invitation.expiresIn == 300)
            let proof = try desk.proof(invitation.nonce)
            #expect(try await desk.link(proof, by: bearer).thumbprint == desk.thumbprint)
            #expect(try await desk.linkedKeys.keys(of: "sub-alice").map(\.thumbprint) == [desk.thumbprint])
            // Whose it is already, it stays: an app may ask again when the answer was lost.
            _ = try await desk.link(proof, by: bearer)
            let events = try await service.storage.search(
                AuditFilter(type: .selfIssuedLinked), before: nil, limit: 9
            ).records.map(\.event)
            #expect(events.map(\.reason) == ["app"])
            #expect(events.first?.clientID == app && events.first?.sessionID == "app-of-alice")
        }
    }

    @Test func `a proof that is refused is put to the user, the app and the session that brought it`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            #expect(try await desk.refusal { try await desk.link("x", by: bearer) } == "malformed")
            let page = try await service.storage.search(AuditFilter(type: .selfIssuedRefused), before: nil, limit: 1)
            let event = try #require(page.records.first?.event)
            #expect(event.reason == "malformed" && event.subject == "sub-alice")
            #expect(event.clientID == app && event.sessionID == "app-of-alice")
        }
    }

    @Test func `only an app that the operator named may link, and no other app of the same user`() async throws {
        try await withService { service in
            let desk = try Desk(service, apps: ["another-app"])
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            #expect(try await desk.refusal { try await desk.invite(bearer) } == "client_without_right")
            #expect(try await desk.refusal { try await desk.link("x", by: bearer) } == "client_without_right")
            let refused = try await service.storage.search(
                AuditFilter(type: .selfIssuedRefused), before: nil, limit: 9)
            #expect(refused.records.map(\.event.reason) == ["client_without_right", "client_without_right"])
        }
    }

    @Test func `contract §16: what was handed over, or is over, links nothing`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            for (opening, ancestry) in [
                (SessionOpening.tokenExchange, [SessionOpening.authorize]), (.authorize, [.authorize, .loginToken]),
                (.deviceCode, [.deviceCode]),
            ] {
                let bearer = try await desk.phones.phone(
                    "\(opening)-\(ancestry.count)", of: "sub-alice", opening: opening, ancestry: Set(ancestry))
                #expect(try await desk.refusal { try await desk.invite(bearer) } == "chained_session")
            }
            let bearer = try await desk.bearer()
            let invitation = try await desk.invite(bearer)
            try await service.endings.end(.appSession("app-of-alice"), .sample(.signedOut))
            let proof = try desk.proof(invitation.nonce)
            #expect(try await desk.refusal { try await desk.link(proof, by: bearer) } == "session_ended")
            #expect(try await desk.linkedKeys.keys(of: "sub-alice").isEmpty)
        }
    }

    @Test func `contract §16: a token that was cut down to less than the app was granted links nothing`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let whole = try await desk.bearer()
            let narrow = try await desk.phones.phone(
                "app-of-alice", of: "sub-alice", scope: Scope(tokens: ["openid"]))
            #expect(try await desk.refusal { try await desk.invite(narrow) } == "narrowed_scope")
            #expect(try await desk.refusal { try await desk.invite(whole) } == "none")
        }
    }

    @Test func `a token without what its app's document has lost is not cut down`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            _ = try await desk.bearer()
            service.change(app) { $0.scope = Scope(tokens: [Scope.openID]) }
            let left = try await desk.phones.phone("app-of-alice", of: "sub-alice", scope: Scope(tokens: ["openid"]))
            #expect(try await desk.refusal { try await desk.invite(left) } == "none")
            let less = try await desk.phones.phone("app-of-alice", of: "sub-alice", scope: .empty)
            #expect(try await desk.refusal { try await desk.invite(less) } == "narrowed_scope")
        }
    }

    @Test func `a token whose answer had no device secret is not cut down`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            service.change(app) { $0.isNativeSSOEnabled = true }
            let granted = Scope(tokens: ["openid", "profile", Scope.deviceSSO])
            let bearer = try await desk.phones.phone("app-of-alice", of: "sub-alice", granted: granted)
            #expect(try await desk.refusal { try await desk.invite(bearer) } == "none")
        }
    }

    @Test func `a sign-in of more than five minutes ago, or an old token, links nothing`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            let invitation = try await desk.invite(bearer)
            service.clock.advance(.seconds(301))
            let proof = try desk.proof(invitation.nonce)
            #expect(try await desk.refusal { try await desk.link(proof, by: bearer) } == "token_too_old")
            let renewed = try await desk.bearer()
            #expect(try await desk.refusal { try await desk.link(proof, by: renewed) } == "authentication_too_old")
            do {
                _ = try await desk.invite(renewed)
            } catch let error as OAuthError {
                #expect(error.code == .insufficientUserAuthentication)
                #expect(error.challenge?.contains(#"max_age="300""#) == true)
            }
        }
    }

    @Test func `where the account has a second factor, a password alone links nothing`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice", factor: SecondFactor(sealedSecret: "sealed"))
            let bearer = try await desk.bearer()
            #expect(try await desk.refusal { try await desk.invite(bearer) } == "authentication_too_weak")
        }
    }

    @Test func `a nonce is good for the session that asked for it, and for five minutes`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            try await desk.accounts.add("bob")
            let (alice, bob) = (try await desk.bearer("alice"), try await desk.bearer("bob"))
            let proof = try desk.proof(try await desk.invite(bob).nonce)
            #expect(try await desk.refusal { try await desk.link(proof, by: alice) } == "nonce_mismatch")
            let other = try await desk.bearer("alice", session: "alices-tablet")
            let elsewhere = try desk.proof(try await desk.invite(other).nonce)
            #expect(try await desk.refusal { try await desk.link(elsewhere, by: alice) } == "nonce_mismatch")
            for nonce in ["", "x", "0.0.0"] {
                let proof = try desk.proof(nonce)
                let found = try await desk.refusal { try await desk.link(proof, by: alice) }
                #expect(["nonce_mismatch", "nonce_missing"].contains(found))
            }
            #expect(try await desk.linkedKeys.keys(of: "sub-alice").isEmpty)
        }
    }

    @Test func `what a phone signs for a website's sign-in is no proof, and a proof signs nobody in`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            let nonce = try await desk.invite(bearer).nonce
            for name in ["iss", "sub", "user_id"] {
                let token = try desk.proof(nonce, [name: .string("https://self-issued.me")])
                #expect(try await desk.refusal { try await desk.link(token, by: bearer) } == "not_key_proof")
            }
            let answer = try FormParameters(parsing: "id_token=\(desk.proof(nonce))".utf8)
            #expect(throws: SelfIssuedRefusal.Reason.notSelfIssued) {
                _ = try SelfIssuedToken(
                    answer: answer,
                    terms: SelfIssuedTerms(
                        audiences: [Self.links], forms: Set(SelfIssuedForm.allCases), nonces: [nonce], now: noon))
            }
        }
    }

    @Test func `a proof for somebody else, of another time, or by another key links nothing`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            let nonce = try await desk.invite(bearer).nonce
            let now = service.clock.now.seconds
            let stranger = try SigningKey.generate(.es256).publicKey.bareJWK
            var leaked = desk.key.publicKey.bareJWK.object ?? [:]
            leaked["d"] = .string("AAAA")
            let cases: [(String, String)] = [
                (try desk.proof(nonce, ["aud": .string(SelfIssuedDesk.site)]), "aud_mismatch"),
                (try desk.proof(nonce, ["aud": .array([.string(Self.links)])]), "aud_mismatch"),
                (try desk.proof(nonce, without: "aud"), "aud_mismatch"),
                (try desk.proof(nonce, ["iat": .number(String(now - 361))]), "iat_out_of_range"),
                (try desk.proof(nonce, ["iat": .number(String(now + 61))]), "iat_out_of_range"),
                (try desk.proof(nonce, ["iat": .string("now")]), "malformed"),
                (try desk.proof(nonce, without: "nonce"), "nonce_missing"),
                (try desk.proof(nonce, ["sub_jwk": stranger]), "signature_invalid"),
                (try desk.proof(nonce, ["sub_jwk": .object(leaked)]), "key_private"),
                (try desk.proof(nonce, without: "sub_jwk"), "key_invalid"),
                (try desk.proof(nonce, algorithm: "none"), "alg_not_allowed"),
                (try desk.proof(nonce, algorithm: "HS256"), "alg_not_allowed"),
                (try desk.proof(nonce, algorithm: "RS256"), "alg_not_allowed"),
                ("", "malformed"), ("a.b.c", "malformed"), (String(repeating: "a", count: 20_000), "malformed"),
            ]
            for (proof, reason) in cases {
                #expect(try await desk.refusal { try await desk.link(proof, by: bearer) } == reason)
            }
            #expect(try await desk.linkedKeys.keys(of: "sub-alice").isEmpty)
        }
    }

    @Test func `what a proof says of its times and of its key beside them holds, where it says it`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            let nonce = try await desk.invite(bearer).nonce
            let now = service.clock.now.seconds
            func number(_ seconds: Int64) -> JSONValue { .number(String(seconds)) }
            let stranger = try SigningKey.generate(.es256).publicKey.bareJWK
            let refused: [(String, String)] = [
                (try desk.proof(nonce, ["exp": number(now - 60)]), "expired"),
                (try desk.proof(nonce, ["exp": .string("never")]), "malformed"),
                (try desk.proof(nonce, ["exp": .null]), "malformed"),
                (try desk.proof(nonce, ["nbf": number(now + 61)]), "iat_out_of_range"),
                (try desk.proof(nonce, ["nbf": .string("soon")]), "malformed"),
                (try desk.proof(nonce, header: stranger), "subject_mismatch"),
                (try desk.proof(nonce, header: .string("a key")), "key_invalid"),
            ]
            for (proof, reason) in refused {
                #expect(try await desk.refusal { try await desk.link(proof, by: bearer) } == reason)
            }
            #expect(try await desk.linkedKeys.keys(of: "sub-alice").isEmpty)
            let own = desk.key.publicKey.bareJWK
            let taken = [
                try desk.proof(nonce, ["exp": number(now - 59), "nbf": number(now + 60)]),
                try desk.proof(nonce, header: own),
            ]
            for proof in taken {
                #expect(try await desk.refusal { try await desk.link(proof, by: bearer) } == "none")
            }
        }
    }

    @Test func `a proof is judged by the very instants that it says, and links nothing before or after them`()
        async throws
    {
        try await withService { service async throws in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let bearer = try await desk.bearer()
            let nonce = try await desk.invite(bearer).nonce
            let now = service.clock.now.seconds
            var refused: [(String, String, String)] = [
                ("exp", "\(now - 61).5", "expired"), ("iat", "\(now - 361).5", "iat_out_of_range"),
                ("iat", "\(now + 60).5", "iat_out_of_range"), ("nbf", "\(now + 60).5", "iat_out_of_range"),
            ]
            refused += [
                ("exp", "-1e300", "expired"), ("iat", "-1", "iat_out_of_range"), ("nbf", "1e300", "iat_out_of_range"),
            ]
            for (claim, json, reason) in refused {
                let proof = try desk.proof(nonce, [claim: .number(json)])
                #expect(try await desk.refusal { try await desk.link(proof, by: bearer) } == reason, "\(claim) \(json)")
            }
            #expect(try await desk.linkedKeys.keys(of: "sub-alice").isEmpty)
            let times = ["exp": "1e300", "iat": "\(now - 360)", "nbf": "-1"]
            let proof = try desk.proof(nonce, times.mapValues { .number($0) })
            #expect(try await desk.refusal { try await desk.link(proof, by: bearer) } == "none")
        }
    }

    @Test func `another user's key, or one that was unlinked, is never linked`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            try await desk.accounts.add("bob")
            let bob = try await desk.bearer("bob")
            _ = try await desk.link(try desk.proof(try await desk.invite(bob).nonce), by: bob)
            let alice = try await desk.bearer("alice")
            let proof = try desk.proof(try await desk.invite(alice).nonce)
            #expect(try await desk.refusal { try await desk.link(proof, by: alice) } == "linked_elsewhere")
            let session = try #require(try await desk.accounts.attempt("bob").opened).session
            _ = try await desk.linkedKeys.unlink(try desk.thumbprint, in: session, origin: origin())
            #expect(try await desk.refusal { try await desk.link(proof, by: alice) } == "subject_revoked")
            let again = try desk.proof(try await desk.invite(bob).nonce)
            #expect(try await desk.refusal { try await desk.link(again, by: bob) } == "subject_revoked")
        }
    }

    @Test func `what its user unlinks has the reason of all that users change themselves`() async throws {
        try await withService { service in
            let desk = try Desk(service)
            try await desk.accounts.add("alice")
            let alice = try await desk.bearer()
            _ = try await desk.link(try desk.proof(try await desk.invite(alice).nonce), by: alice)
            let session = try #require(try await desk.accounts.attempt("alice").opened).session
            _ = try await desk.linkedKeys.unlink(try desk.thumbprint, in: session, origin: origin())
            #expect(try await service.events().contains("self_issued.unlinked by the user"))
        }
    }
}

import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct PasskeyEnrolmentTests {
    private func word(_ outcome: PasskeyOutcome) -> String { "\(outcome)" }

    @Test func `a passkey is kept with its public key, a random handle, and nothing else of its user`() async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            authenticator.count = 3
            #expect(word(try await desk.add(&authenticator, in: session)) == "added")
            let passkey = try #require(try await desk.enrolment.passkeys(of: session.subject).first)
            #expect(passkey.signCount == 3)
            #expect(passkey.relyingParty == "bridge.example")
            #expect(passkey.algorithm == .es256)
            #expect(Base64URL.decode(passkey.userHandle)?.count == 32)
            #expect(passkey.name == "Key")
            #expect(passkey.lastUsedAt == nil)
            let event = try #require(
                try await desk.service.storage.search(
                    AuditFilter(type: .userPasskeyAdded), before: nil, limit: 1
                ).records.first
            ).event
            #expect(event.reason == "by the user")
            #expect(event.detail?.contains(passkey.mark) == true)
        }
    }

    @Test func `all passkeys of a user have one handle, and browsers are told which they have`() async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var (first, second) = (SoftAuthenticator(), SoftAuthenticator())
            #expect(word(try await desk.add(&first, in: session)) == "added")
            #expect(try await desk.draft(in: session).excluded == [Base64URL.encode(first.id)])
            #expect(word(try await desk.add(&second, in: session)) == "added")
            #expect(first.userHandle == second.userHandle)
            var bobs = SoftAuthenticator()
            _ = try await desk.add(&bobs, in: try await desk.person("bob"))
            #expect(bobs.userHandle != first.userHandle)
        }
    }

    @Test func `attack: a credential is registered to a second account`() async throws {
        try await PasskeyDesk.run { desk in
            let alice = try await desk.person("alice")
            let bob = try await desk.person("bob")
            var authenticator = SoftAuthenticator()
            #expect(word(try await desk.add(&authenticator, in: alice)) == "added")
            #expect(word(try await desk.add(&authenticator, in: bob)) == "taken")
            #expect(word(try await desk.add(&authenticator, in: alice)) == "taken")
            #expect(try await desk.enrolment.passkeys(of: bob.subject).isEmpty)
            #expect(try await desk.reasons(.userPasskeyRefused) == ["passkey_taken", "passkey_taken"])
        }
    }

    private static let flaws: [(reason: String, spoil: @Sendable (inout SoftAuthenticator) -> Void)] = [
        ("passkey_foreign_origin", { $0.origin = "https://evil.example" }),
        ("passkey_foreign_origin", { $0.saying["crossOrigin"] = .bool(true) }),
        ("passkey_wrong_ceremony", { $0.saying["type"] = .string("webauthn.get") }),
        ("passkey_wrong_challenge", { $0.saying["challenge"] = .string("AAAA") }),
        ("passkey_wrong_relying_party", { $0.relyingParty = "evil.example" }),
        ("passkey_user_not_present", { $0.isUserPresent = false }),
        ("passkey_user_not_verified", { $0.isUserVerified = false }),
        ("passkey_malformed", { $0.isBackedUp = true }),
        ("passkey_malformed", { $0.appended = [0] }), ("passkey_malformed", { $0.id = [] }),
        ("passkey_malformed", { $0.id = [UInt8](repeating: 1, count: 1024) }),
    ]

    @Test(arguments: flaws.indices)
    func `what is wrong with a new passkey is written down and shown to nobody`(_ index: Int) async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            let (reason, spoil) = Self.flaws[index]
            var authenticator = SoftAuthenticator()
            spoil(&authenticator)
            #expect(word(try await desk.add(&authenticator, in: session)) == "refused")
            #expect(try await desk.reasons(.userPasskeyRefused) == [reason])
            #expect(try await desk.enrolment.passkeys(of: session.subject).isEmpty)
        }
    }

    @Test func `a maker's statement is not looked at`() async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            authenticator.format = "packed"
            #expect(word(try await desk.add(&authenticator, in: session)) == "added")
        }
    }

    @Test func `whoever can sign in elsewhere adds none, also with a password here`() async throws {
        try await PasskeyDesk.run { desk in
            try await desk.desk.add("alice", link: UpstreamIdentity(issuer: "https://login.example", subject: "7"))
            let session = try #require(try await desk.desk.attempt("alice").opened).session
            guard case .unavailable = try await desk.enrolment.standing(in: session) else {
                Issue.record("a newer sign-in would not help, so the page must ask for none")
                return
            }
        }
    }

    @Test func `a page reads the account, its providers and its passkeys once each`() async throws {
        try await withCountedService { service, engine in
            let desk = try PasskeyDesk(SignInDesk(service))
            let session = try await desk.person("alice")
            engine.clear()
            guard case .open(let account) = try await desk.enrolment.standing(in: session) else {
                Issue.record("a sign-in of a moment ago changes no passkeys")
                return
            }
            let known = try await desk.enrolment.passkeys(of: account.subject)
            _ = try desk.enrolment.draft(for: account, besides: known, in: session, at: desk.party)
            #expect(engine.counts.looks + engine.reads == 3)
        }
    }

    @Test func `a trusted issuer's user has no account that a passkey could sign in to`() async throws {
        try await PasskeyDesk.run { desk in
            guard case .noAccount = try await desk.enrolment.standing(in: session("aal2", ["mfa"])) else {
                Issue.record("an account came from nowhere")
                return
            }
        }
    }

    @Test func `attack: the draft of another session adds nothing`() async throws {
        try await PasskeyDesk.run { desk in
            let alice = try await desk.person("alice")
            let bob = try await desk.person("bob")
            let draft = try await desk.draft(in: bob)
            let made = try SoftAuthenticator().make(draft.challenge)
            let outcome = try await desk.enrolment.add(
                made, to: draft.challenge.sealed, named: "Key", at: desk.party, in: alice, origin: origin())
            #expect(word(outcome) == "stale")
            #expect(try await desk.reasons(.userPasskeyRefused) == ["passkey_stale"])
        }
    }

    @Test func `attack: a session that ended while its request was under way adds nothing`() async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            _ = try await desk.service.endings.end(
                .user(session.subject), Ending(at: noon, reason: .administrator, origin: nil))
            #expect(word(try await desk.add(&authenticator, in: session)) == "notSignedIn")
            #expect(try await desk.enrolment.passkeys(of: session.subject).isEmpty)
            #expect(try await desk.reasons(.userPasskeyRefused) == ["passkey_not_signed_in"])
        }
    }

    @Test func `attack: a session that was left open adds and removes nothing`() async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            #expect(word(try await desk.add(&authenticator, in: session)) == "added")
            let mark = try #require(try await desk.enrolment.passkeys(of: session.subject).first).mark
            let draft = try await desk.draft(in: session)
            desk.service.clock.advance(WebSession.signInFreshness + .seconds(1))
            let outcome = try await desk.enrolment.add(
                try SoftAuthenticator().make(draft.challenge), to: draft.challenge.sealed, named: "Key", at: desk.party,
                in: session, origin: origin())
            #expect(word(outcome) == "notSignedIn")
            #expect(word(try await desk.enrolment.remove(mark, in: session, origin: origin())) == "notSignedIn")
            #expect(try await desk.enrolment.passkeys(of: session.subject).map(\.mark) == [mark])
        }
    }

    @Test func `attack: a session that a login token opened changes no passkeys`() async throws {
        try await PasskeyDesk.run { desk in
            let own = try await desk.person("alice")
            let landed = WebSession(
                id: "landed", secretDigest: "digest", subject: own.subject, clientID: "web", appClientID: nil,
                parentID: nil, loginTokenID: "token", opening: .loginToken, authentication: own.authentication,
                createdAt: noon, expiresAt: noon + .seconds(3600), idleLifetime: .seconds(600), lastSeenAt: noon)
            #expect(try await desk.enrolment.account(in: own) != nil)
            #expect(try await desk.enrolment.account(in: landed) == nil)
        }
    }

    @Test(arguments: [
        ("aal1", ["pwd"], false), ("aal2", ["pwd", "otp", "mfa"], true), ("aal2", ["pop", "user", "mfa"], true),
        ("aal1", ["self_issued", "pop"], false),
    ])
    func `who has a second factor shows it before passkeys are changed`(
        _ acr: String, _ amr: [String], _ isAdmitted: Bool
    ) async throws {
        try await PasskeyDesk.run { desk in
            try await desk.desk.add(
                "alice", factor: SecondFactor(sealedSecret: try desk.desk.secrets.seal([1], for: "sub-alice")))
            #expect((try await desk.enrolment.account(in: session(acr, amr)) != nil) == isAdmitted)
        }
    }

    @Test func `a phone's key makes no passkeys, which unlinking it would leave behind`() async throws {
        try await PasskeyDesk.run { desk in
            try await desk.desk.add("alice")
            #expect(try await desk.enrolment.account(in: session("aal1", ["pwd"])) != nil)
            #expect(try await desk.enrolment.account(in: session("aal1", ["self_issued", "pop"])) == nil)
        }
    }

    @Test func `who signs in elsewhere has no passkeys here`() async throws {
        try await PasskeyDesk.run { desk in
            _ = try await desk.service.storage.addAccount(
                Account(subject: "sub-alice", username: nil, createdAt: noon), issuer: Account.issuer, link: nil,
                event: AuditEvent(at: noon, type: .userCreated, outcome: .success))
            #expect(try await desk.enrolment.account(in: session("aal2", ["mfa"])) == nil)
        }
    }

    @Test func `a user has no more passkeys than one may have`() async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            for _ in 0..<Passkey.limit {
                var authenticator = SoftAuthenticator()
                #expect(word(try await desk.add(&authenticator, in: session)) == "added")
            }
            var authenticator = SoftAuthenticator()
            #expect(word(try await desk.add(&authenticator, in: session)) == "tooMany")
        }
    }

    @Test func `nobody removes another user's passkey`() async throws {
        try await PasskeyDesk.run { desk in
            let alice = try await desk.person("alice")
            let bob = try await desk.person("bob")
            var authenticator = SoftAuthenticator()
            _ = try await desk.add(&authenticator, in: alice)
            let mark = try #require(try await desk.enrolment.passkeys(of: alice.subject).first).mark
            _ = try await desk.enrolment.remove(mark, in: bob, origin: origin())
            #expect(try await desk.enrolment.passkeys(of: alice.subject).map(\.mark) == [mark])
            #expect(try await desk.reasons(.userPasskeyRefused) == ["passkey_unknown"])
        }
    }

    @Test(arguments: [
        ("https://id.example.com", "id.example.com"), ("https://id.example.com:8443", "id.example.com"),
        ("http://localhost:8080", "localhost"), ("http://id.example.com", nil), ("http://127.0.0.1:8080", nil),
        ("https://192.0.2.7", nil), ("https://[2001:db8::7]", nil), ("http://[::1]:8080", nil),
    ])
    func `passkeys are for hosts with names, over TLS or on this machine`(_ origin: String, _ id: String?) throws {
        #expect(PasskeyParty(try #require(WebOrigin(origin)))?.id == id)
    }

    @Test(arguments: [
        ("Phone", "Phone"), ("  my \n phone\t", "my phone"), ("", nil), ("   ", nil), ("a\u{0}b", nil),
        (String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
        (String(repeating: "x", count: 65), nil),
    ])
    func `a name is one line that is not too long`(_ text: String, _ name: String?) {
        #expect(Passkey.name(text) == name)
    }

    /// A sign-in of a moment ago.
    private func session(_ acr: String, _ amr: [String]) -> WebSession {
        WebSession(
            id: "own", secretDigest: "digest", subject: "sub-alice", clientID: "web", appClientID: nil, parentID: nil,
            loginTokenID: nil, opening: .authorize,
            authentication: Authentication(time: noon, acr: acr, amr: amr), createdAt: noon,
            expiresAt: noon + .seconds(3600), idleLifetime: .seconds(600), lastSeenAt: noon)
    }
}

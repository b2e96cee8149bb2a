import Crypto
import CryptoExtras
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct PasskeySignInTests {
    private func withPasskey(_ body: (PasskeyDesk, SoftAuthenticator, WebSession) async throws -> Void)
        async throws
    {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            guard case .added = try await desk.add(&authenticator, in: session) else {
                Issue.record("no passkey was added")
                return
            }
            try await body(desk, authenticator, session)
        }
    }

    @Test func `a passkey signs its user in with two factors at once`() async throws {
        try await withPasskey { desk, authenticator, session in
            desk.service.clock.advance(.seconds(60))
            let opened = try #require(try await desk.attempt(authenticator).opened)
            #expect(opened.session.subject == session.subject)
            #expect(opened.session.isOwnSignIn)
            #expect(opened.session.authentication.acr == "aal2")
            #expect(opened.session.authentication.amr == ["pop", "user", "mfa"])
            #expect(opened.session.authentication.time == desk.service.clock.now)
            #expect(opened.recognition != nil)
            #expect(
                try await desk.service.storage.passkeys(of: session.subject).map(\.lastUsedAt) == [
                    desk.service.clock.now
                ])
            #expect(try await desk.reasons(.userSignedIn) == ["passkey", nil])
        }
    }

    @Test(
        arguments: SignatureAlgorithm.allCases.filter { VerificationKey.coseAlgorithms.map(\.algorithm).contains($0) })
    func `a passkey of each algorithm that is asked for is added and signs in`(_ algorithm: SignatureAlgorithm)
        async throws
    {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            authenticator.key =
                switch algorithm {
                case .edDSA: .edDSA(Curve25519.Signing.PrivateKey())
                case .rs256: .rs256(try _RSA.Signing.PrivateKey(keySize: .bits2048))
                default: authenticator.key
                }
            _ = try await desk.add(&authenticator, in: session)
            #expect(try await desk.enrolment.passkeys(of: session.subject).map(\.algorithm) == [algorithm])
            #expect(try await desk.attempt(authenticator).word == "signed in")
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            let forged = try authenticator.use(challenge, signedBy: SoftAuthenticator().key)
            #expect(try await desk.answer(forged, to: challenge).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == ["passkey_wrong_signature"])
        }
    }

    @Test func `a passkey that is kept in several places signs in from each`() async throws {
        try await PasskeyDesk.run { desk in
            let session = try await desk.person("alice")
            var authenticator = SoftAuthenticator()
            authenticator.mayBeBackedUp = true
            _ = try await desk.add(&authenticator, in: session)
            #expect(try await desk.attempt(authenticator).word == "signed in")
            authenticator.isBackedUp = true
            #expect(try await desk.attempt(authenticator).word == "signed in")
        }
    }

    /// What is wrong, and the reason in the log.
    private static let flaws: [(reason: String, spoil: @Sendable (inout SoftAuthenticator) -> Void)] = [
        ("passkey_foreign_origin", { $0.origin = "https://bridge.example.evil.example" }),
        ("passkey_foreign_origin", { $0.origin = "https://login.bridge.example" }),
        ("passkey_foreign_origin", { $0.origin = "https://bridge.example:8443" }),
        ("passkey_foreign_origin", { $0.origin = "http://bridge.example" }),
        ("passkey_foreign_origin", { $0.saying["crossOrigin"] = .bool(true) }),
        ("passkey_foreign_origin", { $0.saying["crossOrigin"] = .string("false") }),
        ("passkey_foreign_origin", { $0.saying["topOrigin"] = .string("https://evil.example") }),
        ("passkey_wrong_ceremony", { $0.saying["type"] = .string("webauthn.create") }),
        ("passkey_wrong_challenge", { $0.saying["challenge"] = .string("AAAA") }),
        ("passkey_malformed", { $0.saying["challenge"] = .string("not base64url") }),
        ("passkey_malformed", { $0.saying["origin"] = .null }),
        ("passkey_malformed", { $0.appended = [0] }),
        ("passkey_wrong_relying_party", { $0.relyingParty = "evil.example" }),
        ("passkey_user_not_present", { $0.isUserPresent = false }),
        ("passkey_user_not_verified", { $0.isUserVerified = false }),
        ("passkey_malformed", { $0.isBackedUp = true }),
        ("passkey_wrong_user", { $0.userHandle = "AAAA" }),
        ("passkey_unknown", { $0.id = [1, 2, 3] }),
    ]

    @Test(arguments: flaws.indices)
    func `what is wrong with an answer is written down and shown to nobody`(_ index: Int) async throws {
        try await withPasskey { desk, own, _ async throws in
            let (reason, spoil) = Self.flaws[index]
            var authenticator = own
            spoil(&authenticator)
            #expect(try await desk.attempt(authenticator).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == [reason])
        }
    }

    @Test func `another key's signature is refused`() async throws {
        try await withPasskey { desk, authenticator, _ in
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            let forged = try authenticator.use(challenge, signedBy: .es256(P256.Signing.PrivateKey()))
            #expect(try await desk.answer(forged, to: challenge).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == ["passkey_wrong_signature"])
        }
    }

    @Test func `attack: an answer is sent twice`() async throws {
        try await withPasskey { desk, authenticator, _ in
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            let assertion = try authenticator.use(challenge)
            #expect(try await desk.answer(assertion, to: challenge).word == "signed in")
            #expect(try await desk.answer(assertion, to: challenge).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == ["passkey_challenge_used"])
        }
    }

    @Test func `an answer to a challenge from before the database went back is refused`() async throws {
        try await withPasskey { desk, authenticator, _ in
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            _ = try await desk.service.storage.recordRestore(
                by: .login("root"), at: desk.service.clock.now, keepsSessions: true, reason: nil)
            let assertion = try authenticator.use(challenge)
            #expect(try await desk.answer(assertion, to: challenge).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == ["passkey_challenge_used"])
            desk.service.clock.advance(.seconds(10))
            #expect(try await desk.attempt(authenticator).word == "signed in")
        }
    }

    @Test func `attack: of one answer sent many times at once one signs in`() async throws {
        try await withPasskey { desk, authenticator, _ in
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            let assertion = try authenticator.use(challenge)
            let words = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10 { group.addTask { try await desk.answer(assertion, to: challenge).word } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(words.count { $0 == "signed in" } == 1)
        }
    }

    @Test func `attack: an answer is sent from another browser`() async throws {
        try await withPasskey { desk, authenticator, _ async throws in
            let stranger = OpaqueSecret.make(.formBinding, random: .system)
            #expect(try await desk.attempt(authenticator, browser: stranger).word == "stale")
            #expect(try await desk.reasons(.userSignInFailed) == ["stale"])
        }
    }

    @Test func `attack: a question of one origin is answered at another`() async throws {
        try await withPasskey { desk, authenticator, _ in
            let elsewhere = try #require(WebOrigin("https://other.example").flatMap { PasskeyParty($0) })
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: elsewhere)
            #expect(try await desk.answer(try authenticator.use(challenge), to: challenge).word == "stale")
        }
    }

    @Test func `the log says which passkey signed in, and which was refused`() async throws {
        try await withPasskey { desk, authenticator, session in
            let mark = try #require(try await desk.enrolment.passkeys(of: session.subject).first).mark
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            let assertion = try authenticator.use(challenge)
            _ = try await desk.answer(assertion, to: challenge)
            _ = try await desk.answer(assertion, to: challenge)
            for type in [AuditEventType.userSignedIn, .userSignInFailed] {
                let event = try await desk.service.storage.search(AuditFilter(type: type), before: nil, limit: 1)
                    .records.first?.event
                #expect(event?.detail == #"{"passkey":"\#(mark)"}"#, "\(type)")
            }
        }
    }

    @Test func `attack: an answer to one question is sent with another`() async throws {
        try await withPasskey { desk, authenticator, _ in
            let asked = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            let other = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            #expect(try await desk.answer(try authenticator.use(asked), to: other).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == ["passkey_wrong_challenge"])
        }
    }

    @Test func `a question is good for five minutes`() async throws {
        try await withPasskey { desk, authenticator, _ in
            let challenge = try desk.signIn.challenge(browser: desk.desk.browser, at: desk.party)
            let assertion = try authenticator.use(challenge)
            desk.service.clock.advance(.seconds(300))
            #expect(try await desk.answer(assertion, to: challenge).word == "stale")
        }
    }

    @Test func `a question about a new passkey is none for a sign-in`() async throws {
        try await withPasskey { desk, authenticator, session in
            let challenge = try await desk.draft(in: session).challenge
            #expect(try await desk.answer(try authenticator.use(challenge), to: challenge).word == "stale")
        }
    }

    @Test func `an authenticator that counts must count on`() async throws {
        try await withPasskey { desk, own, session async throws in
            var authenticator = own
            authenticator.count = 7
            #expect(try await desk.attempt(authenticator).word == "signed in")
            #expect(try await desk.attempt(authenticator).word == "refused")
            authenticator.count = 6
            #expect(try await desk.attempt(authenticator).word == "refused")
            authenticator.count = 0
            #expect(try await desk.attempt(authenticator).word == "refused")
            #expect(
                try await desk.reasons(.userSignInFailed)
                    == [String?](repeating: "passkey_counter_went_back", count: 3))
            authenticator.count = 8
            #expect(try await desk.attempt(authenticator).word == "signed in")
            #expect(try await desk.service.storage.passkeys(of: session.subject).map(\.signCount) == [8])
        }
    }

    @Test func `a removed passkey signs nobody in`() async throws {
        try await withPasskey { desk, authenticator, session in
            let mark = try #require(try await desk.enrolment.passkeys(of: session.subject).first).mark
            guard case .removed = try await desk.enrolment.remove(mark, in: session, origin: origin()) else {
                Issue.record("it was not removed")
                return
            }
            #expect(try await desk.attempt(authenticator).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == ["passkey_unknown"])
            #expect(try await desk.reasons(.userPasskeyRemoved) == ["by the user"])
        }
    }

    @Test func `a disabled user's passkey signs nobody in`() async throws {
        try await withPasskey { desk, authenticator, session in
            try await desk.service.storage.change(
                session.subject, UserChange(isDisabled: true), ending: .sample(at: noon))
            #expect(try await desk.attempt(authenticator).word == "refused")
            #expect(try await desk.reasons(.userSignInFailed) == ["user_disabled"])
        }
    }

    @Test func `wrong answers of a network are limited as wrong passwords are, but not for a known browser`()
        async throws
    {
        try await withPasskey { desk, authenticator, _ in
            let known = try #require(try await desk.attempt(authenticator).opened?.recognition)
            var wrong = authenticator
            wrong.id = [9]
            var words: [String] = []
            for _ in 0..<6 { words.append(try await desk.attempt(wrong).word) }
            #expect(words == [String](repeating: "refused", count: 5) + ["limited"])
            #expect(try await desk.attempt(authenticator).word == "limited")
            #expect(try await desk.attempt(authenticator, knownBy: known).word == "signed in")
        }
    }
}

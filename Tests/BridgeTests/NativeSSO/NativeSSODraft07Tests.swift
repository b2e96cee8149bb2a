import Bridge
import OAuth2
import Testing

/// OpenID Connect Native SSO for Mobile Apps, draft-07: one test for each requirement on the exchange.
@Suite struct NativeSSODraft07Tests {
    typealias Fixture = NativeSSOFixture

    @Test func `§4.3 a good secret with its id_token passes`() {
        #expect(
            NativeSSOCheck.decide(Fixture.facts())
                == .passes(scope: Scope(tokens: ["openid", "profile", "offline_access", "device_sso"])))
    }

    @Test func `§4.3 the device_secret must be one that was given out`() {
        #expect(Fixture.flaw { $0.secret = nil } == .secretUnknown)
        #expect(Fixture.flaw { $0.secretHash = nil } == .secretUnknown)
    }

    @Test func `§4.3 the device_secret must still be valid`() {
        #expect(
            Fixture.flaw {
                $0.secret = PresentedDeviceSecret(
                    device: Fixture.device(expiresAt: Fixture.now), place: .current, sessions: [Fixture.signIn()])
            } == .secretExpired)
        #expect(
            Fixture.flaw {
                $0.secret = PresentedDeviceSecret(
                    device: Fixture.device(revokedAt: Fixture.now), place: .current, sessions: [Fixture.signIn()])
            } == .secretRevoked)
    }

    @Test func `§4.3 the id_token's signature must verify`() {
        #expect(Fixture.flaw { $0.subjectToken = nil } == .subjectTokenInvalid)
    }

    @Test(arguments: ["other", nil])
    func `§4.3 the id_token must be bound to the device_secret by ds_hash`(hash: String?) {
        #expect(
            Fixture.flaw {
                $0.subjectToken = .init(
                    kind: .idToken, subject: "alice", clientID: "app-a", sessionID: Fixture.sessionID,
                    deviceSecretHash: hash)
            } == .hashMismatch)
    }

    @Test func `§4.3 the session of sid must still be valid`() {
        #expect(Fixture.flaw { $0.session = nil } == .sessionEnded)
        #expect(Fixture.flaw { $0.session = Fixture.session(endedAt: Fixture.now) } == .sessionEnded)
        #expect(Fixture.flaw { $0.session = Fixture.session(expiresAt: Fixture.now) } == .sessionEnded)
        #expect(NativeSSORefusal.sessionEnded.code == .invalidGrant)
    }

    @Test func `§4.3 the session must hang below the device`() {
        #expect(
            Fixture.flaw {
                $0.secret = PresentedDeviceSecret(
                    device: Fixture.device(), place: .current, sessions: [Fixture.signIn("another")])
            } == .sessionElsewhere)
        #expect(
            Fixture.flaw {
                $0.subjectToken = .init(
                    kind: .idToken, subject: "alice", clientID: "app-a", sessionID: nil, deviceSecretHash: "hash")
            } == .sessionElsewhere)
    }

    @Test func `§4.3 the asking client must be in the list of the id_token's aud client`() {
        #expect(Fixture.flaw { $0.sourceClient = Fixture.app("app-a") } == .notShared)
        #expect(Fixture.flaw { $0.sourceClient = nil } == .notShared)
        #expect(Fixture.flaw { $0.client = Fixture.app("app-c") } == .notShared)
    }

    @Test(arguments: [(true, .clientNotEnabled), (false, .notShared)] as [(Bool, NativeSSORefusal)])
    func `a client that may not use Native SSO is told so where it is shared with, and else that it is not`(
        shared: Bool, flaw: NativeSSORefusal
    ) {
        #expect(
            Fixture.flaw {
                $0.client = Fixture.app("app-b") { $0.isNativeSSOEnabled = false }
                $0.sourceClient = Fixture.app("app-a", shares: shared ? ["app-b"] : [])
            } == flaw)
        #expect(
            Fixture.flaw {
                $0.client = Fixture.app("app-b") { $0.isNativeSSOEnabled = false }
                $0.secret = nil
            } == .secretUnknown, "and nothing of it without a good secret")
    }

    @Test(arguments: [NativeSSOFacts.SubjectToken.Kind.idToken, .accessToken], [Client.Delivery.body, .cookies])
    func `a device secret opens nothing for an app that may no longer use Native SSO`(
        kind: NativeSSOFacts.SubjectToken.Kind, delivery: Client.Delivery
    ) {
        let token = NativeSSOFacts.SubjectToken(
            kind: kind, subject: "alice", clientID: "app-a", sessionID: Fixture.sessionID, deviceSecretHash: "hash")
        for (mayStill, flaw) in [(true, nil), (false, .clientNotEnabled)] as [(Bool, NativeSSORefusal?)] {
            #expect(
                Fixture.flaw {
                    $0.subjectToken = token
                    $0.client = Fixture.app("app-b") { $0.delivery = delivery }
                    $0.sourceClient = Fixture.app("app-a", shares: ["app-b"]) { $0.isNativeSSOEnabled = mayStill }
                } == flaw)
        }
    }

    @Test func `a client may exchange its own id_token without a list`() {
        #expect(
            Fixture.flaw {
                $0.client = Fixture.app("app-a")
                $0.sourceClient = Fixture.app("app-a")
                $0.settings.allowsCrossClient = false
            } == nil)
    }

    @Test func `§4.3 consent that is needed fails with interaction_required`() {
        #expect(Fixture.flaw { $0.hasConsent = { _ in false } } == .consentNeeded)
        #expect(NativeSSORefusal.consentNeeded.code.rawValue == "interaction_required")
    }

    @Test func `§4.3 what a user granted an app on this device is consent while that sign-in lasts`() {
        func scopes(_ session: PresentedDeviceSecret.Session) -> Set<String> {
            PresentedDeviceSecret(
                device: Fixture.device(), place: .current, sessions: [Fixture.signIn(), session]
            ).scopes(grantedTo: "app-b", by: "alice", at: Fixture.now)
        }
        #expect(scopes(Fixture.signIn("b", of: "app-b", scope: ["openid", "email"])) == ["openid", "email"])
        #expect(scopes(Fixture.signIn("b", of: "app-c")).isEmpty)
        #expect(scopes(Fixture.signIn("b", of: "app-b", subject: "bob")).isEmpty)
        #expect(scopes(Fixture.signIn("b", of: "app-b", expiresAt: Fixture.now)).isEmpty)
        for opening in SessionOpening.allCases where opening != .authorize {
            #expect(scopes(Fixture.signIn("b", of: "app-b", opening: opening)).isEmpty, "\(opening)")
        }
    }

    @Test func `§4.2 audience, when it is sent, must be the issuer`() {
        #expect(Fixture.flaw { $0.audience = Fixture.issuer } == nil)
        #expect(Fixture.flaw { $0.audience = Fixture.issuer + "/" } == .wrongAudience)
        #expect(NativeSSORefusal.wrongAudience.code.rawValue == "invalid_target")
    }

    @Test func `§4.2 scope, when it is sent, must contain openid`() {
        #expect(Fixture.flaw { $0.requestedScope = Scope(tokens: ["profile"]) } == .scopeWithoutOpenID)
        #expect(NativeSSORefusal.scopeWithoutOpenID.code.rawValue == "invalid_scope")
    }

    @Test func `scope is never wider than what the user granted or the client may have`() {
        #expect(Fixture.flaw { $0.requestedScope = Scope(tokens: ["openid", "email"]) } == .scopeTooWide)
        #expect(
            Fixture.flaw {
                $0.requestedScope = Scope(tokens: ["openid", "profile"])
                $0.client = Fixture.app("app-b") { $0.scope = Scope(tokens: ["openid"]) }
            } == .scopeTooWide)
        #expect(
            NativeSSOCheck.decide(Fixture.facts { $0.requestedScope = Scope(tokens: ["openid", "profile"]) })
                == .passes(scope: Scope(tokens: ["openid", "profile"])))
    }

    @Test func `a scope that was taken out of the document of the id_token's app is not exchanged`() {
        let source = Fixture.app("app-a", shares: ["app-b"]) { $0.scope = Scope(tokens: ["email", "offline_access"]) }
        #expect(
            NativeSSOCheck.decide(Fixture.facts { $0.sourceClient = source })
                == .passes(scope: Scope(tokens: ["openid", "offline_access", "device_sso"])))
        #expect(
            Fixture.flaw {
                $0.sourceClient = source
                $0.requestedScope = Scope(tokens: ["openid", "profile"])
            } == .scopeTooWide)
    }

    @Test func `the secret's user must be the id_token's`() {
        #expect(
            Fixture.flaw {
                $0.secret = PresentedDeviceSecret(
                    device: Fixture.device(subject: "bob"), place: .current, sessions: [Fixture.signIn()])
            } == .subjectMismatch)
    }

    @Test func `§6 a secret that is bound to a key needs that key`() {
        let bound = PresentedDeviceSecret(
            device: Fixture.device(keyThumbprint: "jkt"), place: .current, sessions: [Fixture.signIn()])
        for (shown, flaw) in [("jkt", nil), ("other", NativeSSORefusal.secretWrongKey), (nil, .secretWrongKey)] {
            #expect(
                Fixture.flaw {
                    $0.secret = bound
                    $0.proofKeyThumbprint = shown
                } == flaw)
        }
    }

    @Test func `RFC 9449 §7 an access token that is bound to a key needs that key, beside an unbound secret too`() {
        let bound = NativeSSOFacts.SubjectToken(
            kind: .accessToken, subject: "alice", clientID: "app-a", sessionID: Fixture.sessionID,
            proofKeyThumbprint: "jkt")
        for (shown, flaw) in [
            ("jkt", nil), ("other", NativeSSORefusal.subjectTokenWrongKey), (nil, .subjectTokenWrongKey),
        ] {
            #expect(
                Fixture.flaw {
                    $0.subjectToken = bound
                    $0.proofKeyThumbprint = shown
                } == flaw)
        }
    }

    @Test(arguments: [
        (10, false, nil), (30, false, nil), (31, false, NativeSSORefusal.secretReplayed), (1, true, .secretReplayed),
    ])
    func `§6 a secret that was rotated away works once within the overlap`(
        seconds: Int, isSpent: Bool, flaw: NativeSSORefusal?
    ) {
        #expect(
            Fixture.flaw {
                $0.secret = PresentedDeviceSecret(
                    device: Fixture.device(),
                    place: .replaced(at: Fixture.now - .seconds(seconds), isSpent: isSpent),
                    sessions: [Fixture.signIn()])
            } == flaw)
    }

    @Test func `every flaw is found, and the first by rank is told`() {
        let decision = NativeSSOCheck.decide(
            Fixture.facts {
                $0.session = nil
                $0.audience = "https://elsewhere.example"
                $0.requestedScope = Scope(tokens: ["email"])
            })
        #expect(
            decision
                == .refused(
                    .sessionEnded, all: [.sessionEnded, .wrongAudience, .scopeWithoutOpenID, .scopeTooWide]))
    }

    @Test func `a sign-in that is too weak or too old for the client is challenged`() {
        let fresh = Authentication(time: Fixture.now - .seconds(10), acr: "strong")
        let asking = Fixture.app("app-b") {
            $0.minimumACR = "strong"
            $0.maximumAuthenticationAge = .seconds(60)
        }
        for (authentication, flaw) in [
            (fresh, nil), (Authentication(time: fresh.time), .authenticationTooWeak),
            (Authentication(time: Fixture.now - .seconds(61), acr: "strong"), .authenticationTooWeak),
            (Authentication(acr: "strong"), NativeSSORefusal.authenticationTooWeak),
        ] as [(Authentication, NativeSSORefusal?)] {
            #expect(
                Fixture.flaw {
                    $0.client = asking
                    $0.session = Fixture.session(authentication: authentication)
                } == flaw)
        }
    }

    @Test func `a disabled user gets nothing`() {
        #expect(Fixture.flaw { $0.isSubjectDisabled = true } == .subjectDisabled)
    }
}

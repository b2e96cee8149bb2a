import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// What the sign-in page asks for: nothing that the browser's session has shown already.
@Suite struct MissingProofTests {
    /// A session of Alice, who signed in here with her password a minute ago and has a second factor.
    private struct Standing {
        var user: Subject = "alice"
        var opening = SessionOpening.authorize
        var parent: SessionID?
        var acr: String? = "aal1"
        var methods = ["pwd"]
        var age: Duration? = .seconds(60)
        var hasPassword = true
        var hasName = true
        var hasFactor = true
        var isDisabled = false
        var demanded: Duration?

        init(_ change: (inout Standing) -> Void = { _ in }) { change(&self) }

        var session: WebSession {
            WebSession(
                id: "s-1", secretDigest: "d", subject: user, clientID: "web", appClientID: nil, parentID: parent,
                loginTokenID: nil, opening: opening,
                authentication: Authentication(time: age.map { noon - $0 }, acr: acr, amr: methods),
                createdAt: noon - .seconds(60), expiresAt: noon + .seconds(600), idleLifetime: .seconds(600),
                lastSeenAt: noon)
        }

        func account() throws -> Account {
            Account(
                subject: user, username: hasName ? Username("Alice") : nil, email: "alice@example.com",
                passwordHash: hasPassword
                    ? try PasswordHash(SignInDesk.password, cost: SignInDesk.cost, random: .system) : nil,
                secondFactor: hasFactor ? SecondFactor(sealedSecret: "s") : nil, createdAt: noon,
                disabledAt: isDisabled ? noon : nil)
        }
    }

    private func word(
        _ changes: KeyValuePairs<String, String?> = [:], client: Client? = nil, _ standing: Standing = Standing()
    ) throws -> String {
        let missing = MissingProof.find(
            try AuthorizationFixture.request(changes, client: client),
            .init(
                session: standing.session, account: try standing.account(),
                demandedAt: standing.demanded.map { noon - $0 }, now: noon))
        switch missing {
        case .everything: return "everything"
        case .password(let account):
            #expect(account.subject == standing.user)
            return "password"
        case .code(let account):
            #expect(account.subject == standing.user)
            return "code"
        }
    }

    private static func strict() throws -> Client { try AuthorizationFixture.native { $0.minimumACR = "aal2" } }
    private static let essential = #"{"id_token":{"acr":{"essential":true,"values":["aal2"]}}}"#

    @Test func `without a session or its account everything is missing`() throws {
        let request = try AuthorizationFixture.request(client: Self.strict())
        let account = try Standing().account()
        for (session, account) in [(nil, account), (Standing().session, nil), (nil, nil)] as [(WebSession?, Account?)] {
            #expect(MissingProof.find(request, .init(session: session, account: account, now: noon)) == .everything)
        }
        let bob = Standing { $0.user = "bob" }.session
        #expect(MissingProof.find(request, .init(session: bob, account: account, now: noon)) == .everything)
    }

    @Test func `two factors are wanted and the password was given, so the code is missing`() throws {
        #expect(try word(client: Self.strict()) == "code")
        #expect(try word(["claims": Self.essential]) == "code")
        #expect(try word(["acr_values": "aal2"]) == "code")
        #expect(try word(["acr_values": "aal1 aal2"]) == "everything")
        #expect(try word(["acr_values": "urn:example:gold"]) == "everything")
        #expect(try word(["acr_values": "aal2"], Standing { $0.hasFactor = false }) == "everything")
        #expect(try word(["max_age": "60"], client: Self.strict()) == "code")
        #expect(try word(["id_token_hint": AuthorizationFixture.ownHint], client: Self.strict()) == "code")
    }

    @Test func `a sign-in that is too old lacks the password of its user`() throws {
        #expect(try word(["max_age": "59"]) == "password")
        #expect(try word(["max_age": "0"]) == "password")
        #expect(try word(["prompt": "login"]) == "password")
        #expect(try word(["max_age": "59"], Standing { $0.age = nil }) == "password")
        let fresh = try AuthorizationFixture.native { $0.maximumAuthenticationAge = .seconds(30) }
        #expect(try word(client: fresh) == "password")
        #expect(try word(["id_token_hint": AuthorizationFixture.ownHint], client: fresh) == "password")
        // Who opened a link is told no user's name.
        #expect(try word(["max_age": "59"], Standing { $0.opening = .loginToken }) == "everything")
    }

    @Test func `too old and too weak lacks the password first, and the code follows`() throws {
        #expect(try word(["max_age": "59"], client: Self.strict()) == "password")
        #expect(try word(["prompt": "login"], client: Self.strict()) == "password")
    }

    @Test func `somebody else than the client means has to say everything`() throws {
        let hint: KeyValuePairs<String, String?> = ["id_token_hint": AuthorizationFixture.ownHint, "max_age": "59"]
        #expect(try word(hint) == "password")
        #expect(try word(hint, Standing { $0.user = "bob" }) == "everything")
        #expect(try word(["login_hint": "carol", "max_age": "59"]) == "everything")
        #expect(try word(["login_hint": "carol"], client: Self.strict()) == "everything")
        for name in ["alice", "ALICE", "Alice@Example.com"] {
            #expect(try word(["login_hint": name, "max_age": "59"]) == "password", "\(name)")
        }
    }

    @Test func `choosing an account means naming one`() throws {
        #expect(try word(["prompt": "select_account"]) == "everything")
        #expect(try word(["prompt": "login select_account"]) == "everything")
        #expect(try word(["prompt": "select_account"], client: Self.strict()) == "everything")
    }

    @Test func `nobody is asked for what the account does not have`() throws {
        let noPassword = Standing { $0.hasPassword = false }
        #expect(try word(["max_age": "59"], noPassword) == "everything")
        #expect(try word(client: Self.strict(), noPassword) == "everything")
        let noName = Standing { $0.hasName = false }
        #expect(try word(["max_age": "59"], noName) == "everything")
        let noFactor = Standing { $0.hasFactor = false }
        #expect(try word(client: Self.strict(), noFactor) == "everything")
        #expect(try word(["max_age": "59"], client: Self.strict(), noFactor) == "everything")
        #expect(try word(["max_age": "59"], noFactor) == "password")
        let gold = try AuthorizationFixture.native { $0.minimumACR = "urn:example:gold" }
        #expect(try word(client: gold) == "everything")
    }

    @Test func `a disabled user's page gives nothing away`() throws {
        let disabled = Standing { $0.isDisabled = true }
        #expect(try word(["max_age": "59"], disabled) == "everything")
        #expect(try word(client: Self.strict(), disabled) == "everything")
    }

    @Test func `after a phone's key the password is missing, and the code follows`() throws {
        let byKey = Standing { $0.methods = ["self_issued", "pop"] }
        #expect(try word(client: Self.strict(), byKey) == "password")
        #expect(try word(["claims": Self.essential], byKey) == "password")
        #expect(try word(["acr_values": "aal2"], byKey) == "password")
        #expect(try word([:], byKey) == "everything", "one factor is enough")
        let alone = Standing {
            $0.methods = ["self_issued", "pop"]
            $0.hasFactor = false
        }
        #expect(try word(client: Self.strict(), alone) == "everything")
        let linked = Standing {
            $0.methods = ["self_issued", "pop"]
            $0.opening = .deviceCode
        }
        #expect(try word(client: Self.strict(), linked) == "everything", "no sign-in of the user's own")
    }

    @Test func `a website that wants two factors gets the code alone, and the password first where that is old`()
        throws
    {
        func missing(_ standing: Standing, isOld: Bool) throws -> MissingProof {
            .secondFactor(standing.session, of: try standing.account(), isOld: isOld)
        }
        for (standing, isOld, expected) in [
            (Standing(), false, "code"), (Standing(), true, "password"),
            (Standing { $0.methods = ["self_issued", "pop"] }, false, "password"),
            (Standing { $0.hasFactor = false }, false, "everything"),
            (Standing { $0.opening = .loginToken }, false, "everything"),
        ] {
            switch try missing(standing, isOld: isOld) {
            case .everything: #expect(expected == "everything")
            case .password: #expect(expected == "password")
            case .code: #expect(expected == "code")
            }
        }
    }

    @Test func `only a sign-in with a password here can be raised by a code`() throws {
        for (name, standing) in [
            ("a login token's", Standing { $0.opening = .loginToken }),
            ("a web view's", Standing { $0.opening = .tokenExchange }),
            ("one under an app's session", Standing { $0.parent = "app-1" }),
            ("one from upstream", Standing { $0.methods = ["swk"] }),
            ("one of no known strength", Standing { $0.acr = nil }),
            ("one of another provider's strength", Standing { $0.acr = "urn:example:silver" }),
        ] {
            #expect(try word(client: Self.strict(), standing) == "everything", "\(name)")
        }
    }

    @Test func `a sign-in that this request asked for is not asked for twice`() throws {
        let done = Standing {
            $0.age = .seconds(1)
            $0.demanded = .seconds(9)
        }
        for change in [("prompt", "login"), ("prompt", "select_account"), ("max_age", "0")] {
            #expect(try word([change.0: change.1], done) == "everything", "\(change)")
        }
        #expect(try word(["prompt": "login"], client: Self.strict(), done) == "code")
        #expect(try word() == "everything")
    }

    @Test func `after the code nothing is missing any more`() throws {
        let raised = Authentication(time: noon - .seconds(60), acr: "aal2", amr: ["pwd", "otp", "mfa"])
        for changes in [[:], ["max_age": "60"]] as [KeyValuePairs<String, String?>] {
            let decision = AuthorizationDecision.decide(
                try AuthorizationFixture.request(changes, client: Self.strict()),
                .init(
                    session: .signIn(of: "alice", authentication: raised, at: noon, lifetime: .seconds(600)),
                    reachesClient: true, demandedAt: noon - .seconds(30), now: noon))
            #expect(decision == .askConsent)
        }
    }
}

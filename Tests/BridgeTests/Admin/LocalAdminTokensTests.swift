import BridgeTestSupport
import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import Bridge

@Suite struct LocalAdminTokensTests {
    private struct Desk: Sendable {
        let provider: Provider
        let tokens: LocalAdminTokens
        let administrators: ChangingAdministrators
        var shown: Secret<String>?

        init(
            _ provider: Provider, administrators subjects: Set<Subject> = [], requiresSecondFactor: Bool = false
        ) throws {
            self.provider = provider
            administrators = ChangingAdministrators(subjects)
            let clients = provider.service.clients
            var console = Client(id: "console", name: "A console app", kind: .native)
            console.scope = Scope(tokens: [Scope.openID, Scope.admin])
            clients.add(console)
            tokens = LocalAdminTokens(
                tokens: provider.accessTokens, clients: clients,
                administrators: administrators, requiresSecondFactor: requiresSecondFactor)
        }

        func showing(_ token: Secret<String>) -> Desk {
            var desk = self
            desk.shown = token
            return desk
        }

        /// Revokes the token that was shown.
        func revoke() async throws {
            try await provider.revocation.revoke(
                try Provider.parameters([("token", try #require(shown).expose())]),
                basic: .given(id: "machine", secret: Secret(provider.secret.expose())), origin: origin())
        }

        func endSessions() async throws {
            _ = try await provider.service.storage.end(.user("alice"), .sample(at: provider.service.clock.now))
        }

        func machineToken(scope: String? = nil, proof: PresentedProof = .none) async throws -> Secret<String> {
            let form = [("grant_type", "client_credentials")] + (scope.map { [("scope", $0)] } ?? [])
            return try await provider.token(
                form, basic: .given(id: "machine", secret: Secret(provider.secret.expose())), proof: proof
            ).accessToken
        }

        func personToken(acr: String = "aal1") async throws -> Secret<String> {
            let grant = try provider.grant(client: "console", scope: [Scope.openID, Scope.admin], acr: acr)
            return try await provider.redeem(try await provider.code(grant), client: "console").accessToken
        }

        func found(_ token: Secret<String>, key: String? = nil) async throws -> String {
            do {
                return try await tokens.administrator(
                    presenting: token, provenKey: key, at: provider.service.clock.now
                ).actor.description
            } catch let refusal as AdminRefusal {
                return refusal.reason.rawValue
            }
        }
    }

    @Test func `contract §8: a machine with the scope admin administers, one without does not`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            #expect(try await desk.found(desk.machineToken()) == "client:machine")
            #expect(try await desk.found(desk.machineToken(scope: "read")) == "not_administrator")
            #expect(try await desk.found(Secret("nonsense")) == "invalid")
        }
    }

    @Test func `a person needs the role beside the scope`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            #expect(try await desk.found(desk.personToken()) == "not_administrator")
        }
        try await withProvider { provider in
            let desk = try Desk(provider, administrators: ["alice"])
            #expect(try await desk.found(desk.personToken()) == "account:alice")
        }
    }

    @Test func `contract §16.2: a person's token needs a second factor where one is asked for, a program's does not`()
        async throws
    {
        for (isRequired, acr, found) in [
            (true, "aal1", "second_factor_missing"), (true, "aal2", "account:alice"), (false, "aal1", "account:alice"),
        ] {
            try await withProvider { provider in
                let desk = try Desk(provider, administrators: ["alice"], requiresSecondFactor: isRequired)
                #expect(try await desk.found(desk.personToken(acr: acr)) == found, "\(isRequired) \(acr)")
                #expect(try await desk.found(desk.machineToken()) == "client:machine")
            }
        }
    }

    @Test func `a refusal says whose token it was, where that was verified`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            func holder(_ token: Secret<String>) async throws -> AdminRefusal.Holder? {
                do {
                    _ = try await desk.tokens.administrator(
                        presenting: token, provenKey: nil, at: provider.service.clock.now)
                    return nil
                } catch let refusal as AdminRefusal {
                    return refusal.holder
                }
            }
            let person = try #require(try await holder(desk.personToken()))
            #expect(person.subject == "alice" && person.clientID == "console" && person.sessionID != nil)
            let machine = try #require(try await holder(desk.machineToken(scope: "read")))
            #expect(machine.subject == nil && machine.clientID == "machine" && machine.sessionID == nil)
            #expect(try await holder(Secret("nonsense")) == nil)
        }
    }

    @Test func `a right that was taken from the client is taken from its tokens`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            let token = try await desk.machineToken()
            provider.service.change("machine") { $0.scope = Scope(tokens: ["read"]) }
            #expect(try await desk.found(token) == "not_administrator")
        }
    }

    @Test func `ADR-0074: a token of before its client's new secret administers nothing, one of after does`()
        async throws
    {
        try await withProvider { provider in
            let desk = try Desk(provider, administrators: ["alice"])
            let old = [try await desk.machineToken(), try await desk.personToken()]
            var opened: [Administrator] = []
            for token in old {
                opened.append(
                    try await desk.tokens.administrator(
                        presenting: token, provenKey: nil, at: provider.service.clock.now))
            }
            for id in ["machine", "console"] as [ClientID] {
                provider.service.change(id) { $0.adminEpoch = noon + .milliseconds(1) }
            }
            for (token, administrator) in zip(old, opened) {
                #expect(try await desk.found(token) == "invalid")
                let now = provider.service.clock.now
                #expect(try await !desk.tokens.stillAdministers(administrator, at: now))
                let claims = try await provider.accessTokens.active(token, at: now)
                #expect(!provider.accessTokens.presentScope(of: claims).contains(Scope.admin))
            }
            #expect(try await desk.found(desk.machineToken()) == "client:machine")
            #expect(try await desk.found(desk.personToken()) == "account:alice")
        }
    }

    @Test func `ADR-0074: whose token it was is said of one of before the new secret`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            let old = try await desk.machineToken()
            provider.service.change("machine") { $0.adminEpoch = noon }
            let refusal = await #expect(throws: AdminRefusal.self) {
                try await AdminAuthenticators([desk.tokens]).administrator(
                    presenting: old, provenKey: nil, at: provider.service.clock.now)
            }
            #expect(refusal?.reason == .invalid && refusal?.holder?.clientID == "machine")
        }
    }

    @Test func `ADR-0074: a token that a node without the newest document gave out counts as of the older one`()
        async throws
    {
        try await withProvider { provider in
            let desk = try Desk(provider)
            provider.service.change("machine") { $0.adminEpoch = noon }
            provider.service.clock.advance(.seconds(60))
            // That node still takes the old secret, after the new one was made.
            let late = try await desk.machineToken()
            provider.service.change("machine") { $0.adminEpoch = noon + .seconds(30) }
            #expect(try await desk.found(late) == "invalid")
            // And a node that knows less than the one that gave it out takes it.
            let new = try await desk.machineToken()
            provider.service.change("machine") { $0.adminEpoch = noon }
            #expect(try await desk.found(new) == "client:machine")
        }
    }

    /// A token of the version before says nothing of it, and its time in whole seconds.
    @Test(arguments: [(-1, "invalid"), (0, "invalid"), (1, "client:machine")])
    func `ADR-0074: a token of the version before counts as of the beginning of its second`(
        secondsAfter: Int, found: String
    ) async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            let now = provider.service.clock.now
            let given = Timestamp(seconds: now.seconds + Int64(secondsAfter))
            let claims = AccessTokenClaims(
                subject: Subject(client: "machine"), audience: [issuerName], clientID: "machine",
                scope: Scope(tokens: [Scope.admin]), id: "earlier", sessionID: nil, authentication: Authentication(),
                issuedAt: given, expiresAt: now + .seconds(900))
            let token = try provider.accessTokenCodec.sign(claims, algorithm: .es256, at: now)
            #expect(try await desk.found(token) == "client:machine")
            let epoch = Timestamp(seconds: now.seconds) + .milliseconds(500)
            provider.service.change("machine") { $0.adminEpoch = epoch }
            #expect(try await desk.found(token) == found)
        }
    }

    @Test func `contract §16.9: what was recognised stands while token, client, session and role do`() async throws {
        /// What is taken away, and by whom the token was shown.
        let ends: [(String, isPerson: Bool, (Desk) async throws -> Void)] = [
            ("nothing", false, { _ in }), ("nothing", true, { _ in }),
            ("the token is revoked", false, { try await $0.revoke() }),
            ("the token has ended", false, { $0.provider.service.clock.advance(.seconds(86_400)) }),
            ("the client is gone", false, { $0.provider.service.clients.remove("machine") }),
            ("the client is gone", true, { $0.provider.service.clients.remove("console") }),
            ("the session has ended", true, { try await $0.endSessions() }),
            ("the role is gone", true, { $0.administrators.takeAway() }),
        ]
        for (what, isPerson, end) in ends {
            try await withProvider { provider in
                let desk = try Desk(provider, administrators: ["alice"])
                let token = isPerson ? try await desk.personToken() : try await desk.machineToken()
                let administrator = try await desk.tokens.administrator(
                    presenting: token, provenKey: nil, at: provider.service.clock.now)
                #expect(administrator.credential.clientID == (isPerson ? "console" : "machine"))
                #expect((administrator.credential.sessionID != nil) == isPerson)
                try await end(desk.showing(token))
                provider.service.clock.advance(.seconds(2))
                let stands = try await desk.tokens.stillAdministers(administrator, at: provider.service.clock.now)
                #expect(stands == (what == "nothing"), "\(what), \(isPerson)")
            }
        }
    }

    @Test func `an expired token administers nothing`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            let token = try await desk.machineToken()
            provider.service.clock.advance(Client.defaultAccessTokenLifetime)
            #expect(try await desk.found(token) == "invalid")
        }
    }

    @Test func `RFC 9449 §7: a bound token needs its key, and with a proof no other will do`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            let key = try ProofKey()
            let bound = try await desk.machineToken(proof: try key.proof(id: "1", at: noon))
            #expect(try await desk.found(bound) == "invalid")
            #expect(try await desk.found(bound, key: "another") == "invalid")
            #expect(try await desk.found(bound, key: key.thumbprint) == "client:machine")
            #expect(try await desk.found(desk.machineToken(), key: key.thumbprint) == "invalid")
        }
    }

    @Test func `of several authenticators the one that knows more decides`() async throws {
        try await withProvider { provider in
            let desk = try Desk(provider)
            let both = AdminAuthenticators([
                desk.tokens,
                UserTokensDoNotAdminister(
                    LocalBearers(
                        tokens: provider.accessTokens, subjects: provider.service.subjects, issuer: issuerName,
                        others: NoOtherIssuers())),
            ])
            func found(_ token: Secret<String>) async throws -> String {
                do {
                    return try await both.administrator(
                        presenting: token, provenKey: nil, at: provider.service.clock.now
                    ).actor.description
                } catch let refusal as AdminRefusal {
                    return refusal.reason.rawValue
                }
            }
            #expect(try await found(desk.machineToken()) == "client:machine")
            #expect(try await found(provider.signIn().accessToken) == "not_administrator")
            #expect(try await found(Secret("nonsense")) == "invalid")
        }
    }

    @Test func `accounts administer by their role, while they are enabled`() async throws {
        try await withService { service in
            for (name, role) in [("carol", Account.Role.admin), ("dora", .admin), ("alice", nil)] {
                _ = try await service.storage.addAccount(
                    Account(subject: Subject(rawValue: name), username: Username(name), role: role, createdAt: noon),
                    issuer: Account.issuer, link: nil,
                    event: AuditEvent(at: noon, type: .userCreated, outcome: .success))
            }
            let administrators = StoredAdministrators(service.storage)
            #expect(try await administrators.isAdministrator("carol"))
            #expect(try await !administrators.isAdministrator("alice"))
            #expect(try await !administrators.isAdministrator("unheard-of"))
            // Without a password there is nothing that a second factor could stand beside.
            #expect(try await !administrators.canEnrolSecondFactor("carol"))
            try await service.storage.change("carol", UserChange(isDisabled: true), ending: .sample(at: noon))
            #expect(try await !administrators.isAdministrator("carol"))
        }
    }

    @Test func `a second factor is set up by who has a password and no factor yet`() async throws {
        try await withService { service async throws in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            try await desk.add("dora", factor: SecondFactor(sealedSecret: "sealed"))
            let enrolling = StoredAdministrators(service.storage)
            #expect(try await enrolling.canEnrolSecondFactor("sub-alice"))
            #expect(try await !enrolling.canEnrolSecondFactor("sub-dora"))
        }
    }
}

/// A list that can be emptied.
private final class ChangingAdministrators: AdministratorDirectory {
    private let subjects: Mutex<Set<Subject>>

    init(_ subjects: Set<Subject>) { self.subjects = Mutex(subjects) }

    func takeAway() { subjects.withLock { $0 = [] } }

    func isAdministrator(_ subject: Subject) -> Bool { subjects.withLock { $0.contains(subject) } }

    func canEnrolSecondFactor(_ subject: Subject) -> Bool { false }
}

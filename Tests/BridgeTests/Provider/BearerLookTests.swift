import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// What a bearer is judged by is found in one look, and is no older for it (contract §7).
@Suite struct BearerLookTests {
    /// A service that knows alice by another issuer.
    private func withAlice(
        isFar: Bool = true, _ body: (Service, CountedEngine) async throws -> Void
    ) async throws {
        try await withCountedService(isFar: isFar) { service, engine in
            try await service.storage.addUser("alice", issuer: "https://backend.example", at: noon)
            engine.clear()
            try await body(service, engine)
        }
    }

    /// A provider whose app alice has signed in to, so long ago that nothing of that is remembered.
    private func withOwnToken(
        isFar: Bool = true, _ body: (Provider, CountedEngine, Secret<String>) async throws -> Void
    ) async throws {
        try await withCountedService(isFar: isFar) { service, engine in
            let provider = try Provider(service)
            let token = try await provider.signIn().accessToken
            service.clock.advance(.seconds(1))
            engine.clear()
            try await body(provider, engine, token)
        }
    }

    /// Whom the other issuer's bearer names, in a session of that issuer's.
    private func foreign(in service: Service) async throws -> BearerIdentity {
        let boundary = IssuerBoundary(
            OneBearer(identity: service.bearer(sid: "its-own")), subjects: service.subjects, parents: service.parents)
        return try await boundary.authenticate(Secret("token"), at: service.clock.now)
    }

    private func own(_ token: Secret<String>, in provider: Provider) async throws -> BearerIdentity {
        let service = provider.service
        let bearers = LocalBearers(
            tokens: provider.accessTokens, subjects: service.subjects, issuer: issuerName,
            others: OneBearer(identity: service.bearer()))
        return try await bearers.authenticate(token, at: service.clock.now)
    }

    private func issue(to bearer: BearerIdentity, in service: Service) async throws -> LoginTokenAnswer {
        try await service.issuer.issue(LoginTokenIssueRequest(), bearer: bearer, origin: origin())
    }

    /// In the storage alone, as another node does it.
    private func revoke(_ token: AccessTokenClaims, in service: Service) async throws {
        try await service.storage.revokeToken(
            token.id, until: token.expiresAt,
            event: AuditEvent(at: service.clock.now, type: .accessTokenRevoked, outcome: .success))
    }

    @Test func `another issuer's user and session are found in one look, and an issue asks for nothing more`()
        async throws
    {
        try await withAlice { service, engine in
            let bearer = try await foreign(in: service)
            _ = try await issue(to: bearer, in: service)
            #expect(engine.counts == LookCounts(looks: 1, statements: 3))
        }
    }

    @Test func `our own bearer's session, revocation and user are found in one look, and an issue asks for no more`()
        async throws
    {
        try await withOwnToken { provider, engine, token in
            let bearer = try await own(token, in: provider)
            _ = try await issue(to: bearer, in: provider.service)
            #expect(engine.counts == LookCounts(looks: 1, statements: 3))
        }
    }

    @Test func `for an access token alone nobody's user is read`() async throws {
        try await withOwnToken { provider, engine, token in
            _ = try await provider.accessTokens.active(token, at: provider.service.clock.now)
            #expect(engine.counts == LookCounts(looks: 1, statements: 2))
        }
    }

    @Test func `contract §7: a token that another node revoked is refused by the look that finds it`() async throws {
        try await withOwnToken { provider, engine, token in
            let service = provider.service
            try await revoke(try await provider.accessTokens.verify(token, at: service.clock.now), in: service)
            engine.clear()
            #expect(try await refusal { try await own(token, in: provider) } == "inactive")
            #expect(engine.counts.looks == 1)
        }
    }

    @Test func `contract §7: a token whose session another node ended is refused by the look that finds it`()
        async throws
    {
        try await withOwnToken { provider, engine, token in
            let service = provider.service
            let claims = try await provider.accessTokens.verify(token, at: service.clock.now)
            let session = try #require(claims.sessionID)
            _ = try await service.storage.end(.appSession(session), .sample(at: service.clock.now))
            engine.clear()
            #expect(try await refusal { try await own(token, in: provider) } == "inactive")
            // The second asks whether the id is a browser's.
            #expect(engine.counts.looks == 2)
        }
    }

    @Test func `contract §3: a user whom another node disabled gets nothing issued, by the look that finds it`()
        async throws
    {
        try await withAlice { service, engine in
            try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            engine.clear()
            let bearer = try await foreign(in: service)
            #expect(try await refusal { try await issue(to: bearer, in: service) } == "invalid_token subject_disabled")
            #expect(engine.counts.looks == 1)
        }
    }

    @Test func `in a file nothing is read ahead`() async throws {
        try await withAlice(isFar: false) { service, engine in
            _ = try await foreign(in: service)
            #expect(engine.counts == LookCounts(looks: 3, statements: 3))
        }
        try await withOwnToken(isFar: false) { provider, engine, token in
            let claims = try await provider.accessTokens.verify(token, at: provider.service.clock.now)
            let session = try #require(claims.sessionID)
            _ = try await provider.service.storage.end(.appSession(session), .sample(at: noon))
            #expect(try await refusal { try await own(token, in: provider) } == "inactive")
            // Neither the revocation nor the user, once the session is known to be over.
            #expect(engine.counts == LookCounts(looks: 2, statements: 2))
        }
    }

    @Test func `contract §7: what one look found is half a second old at most, counted from before it`() async throws {
        try await withAlice { service, engine in
            engine.afterNextLook { service.clock.advance(.milliseconds(400)) }
            _ = try await foreign(in: service)
            service.clock.advance(.milliseconds(99))
            _ = try await foreign(in: service)
            #expect(engine.counts.looks == 1)
            service.clock.advance(.milliseconds(1))
            _ = try await foreign(in: service)
            #expect(engine.counts.looks == 2)
        }
    }

    @Test func `what took half a second to arrive is asked for again by whoever judges it`() async throws {
        try await withAlice { service, engine in
            engine.afterNextLook { service.clock.advance(.milliseconds(500)) }
            _ = try await foreign(in: service)
            #expect(engine.counts.looks == 4)
        }
    }

    @Test func `contract §3: a user who is disabled between the look and its answer gets nothing issued`()
        async throws
    {
        try await withAlice { service, engine in
            engine.afterNextLook {
                try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
                service.subjects.forget("alice")
            }
            let bearer = try await foreign(in: service)
            #expect(try await refusal { try await issue(to: bearer, in: service) } == "invalid_token subject_disabled")
        }
    }

    @Test(arguments: [false, true])
    func `contract §7: a session that ends, or a token that is revoked, between the look and its answer is refused`(
        isRevoked: Bool
    ) async throws {
        try await withOwnToken { provider, engine, token in
            let service = provider.service
            let now = service.clock.now
            let claims = try await provider.accessTokens.verify(token, at: now)
            let session = try #require(claims.sessionID)
            engine.afterNextLook {
                guard isRevoked else {
                    try await service.endings.end(.appSession(session), .sample(at: now))
                    return
                }
                try await revoke(claims, in: service)
                provider.accessTokens.forget(claims.id)
            }
            #expect(try await refusal { try await own(token, in: provider) } == "inactive")
        }
    }

    @Test func `a look for our own bearer that fails lets nobody in, and leaves the next one to be remembered`()
        async throws
    {
        try await withOwnToken { provider, engine, token in
            engine.afterNextLook { throw StorageError.unavailable("away") }
            await #expect(throws: StorageError.self) { try await own(token, in: provider) }
            engine.clear()
            for _ in 0..<2 { _ = try await own(token, in: provider) }
            #expect(engine.counts.looks == 1)
        }
    }

    @Test func `a look that fails lets nobody in, and leaves the next one to be remembered`() async throws {
        try await withAlice { service, engine in
            engine.afterNextLook { throw StorageError.unavailable("away") }
            await #expect(throws: StorageError.self) { try await foreign(in: service) }
            engine.clear()
            for _ in 0..<2 { _ = try await foreign(in: service) }
            #expect(engine.counts.looks == 1)
        }
    }
}

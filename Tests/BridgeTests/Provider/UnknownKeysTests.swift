import BridgeTestSupport
import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// What a node does about keys that tokens name and it does not have.
@Suite struct UnknownKeysTests {
    private func codec(_ keys: SigningKeys) -> LoginTokenCodec {
        LoginTokenCodec(issuer: issuerName, keys: keys.loginTokens, inquiry: keys)
    }

    private func token(_ keys: SigningKeys) throws -> Secret<String> {
        let claims = LoginTokenClaims(
            issuer: issuerName, audience: website, subject: "alice", issuedAt: noon, expiresAt: noon + .seconds(60),
            id: "jti", clientID: app, sessionID: nil, authentication: Authentication(), target: nil, binding: .none)
        return try #require(codec(keys).sign(claims, at: noon)).token
    }

    private func forged(_ keyID: String) -> Secret<String> {
        let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"login+jwt","kid":"\#(keyID)"}"#.utf8))
        return Secret("\(header).e30.\(Base64URL.encode([UInt8](repeating: 0, count: 32)))")
    }

    @Test func `a token of a key that was made a moment ago elsewhere is believed after one question`() async throws {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let other = nodes.make("other", store: store)
            try await other.load()
            let leaked = try #require(nodes[0].signing)
            _ = try await nodes[0].retire([leaked], action: action(noon))
            let before = store.questions
            guard case .verified = try await codec(other).verify(try token(nodes[0]), at: noon) else {
                Issue.record("refused")
                return
            }
            #expect(store.questions == before + 1)
        }
    }

    private func hint(by node: SigningKeys) throws -> Secret<String> {
        let claims = IDTokenClaims(
            subject: "alice", audience: "native", sessionID: "s", authentication: Authentication(), issuedAt: noon,
            notAfter: noon + .seconds(60))
        return try IDTokenCodec(issuer: issuerName, keys: node.ring).sign(
            claims, accessToken: nil, algorithm: .es256, at: noon)
    }

    @Test func `a hint of a key that was made a moment ago elsewhere counts in a pushed request`() async throws {
        try await withKeys(nodes: 2) { nodes async throws in
            let leaked = try #require(nodes[0].ring.current.signing(.es256, at: noon)?.id)
            _ = try await nodes[0].retire([leaked], action: action(noon))
            let hint = try hint(by: nodes[0])
            let service = try Service(storage: nodes.storage)
            service.clients.add(try AuthorizationFixture.native())
            let requests = PushedRequests(
                rules: AuthorizationRequestRules(
                    issuer: issuerName, clients: service.clients,
                    idTokens: IDTokenCodec(issuer: issuerName, keys: nodes[1].ring, inquiry: nodes[1])),
                authenticator: ClientAuthenticator(
                    clients: service.clients, issuer: issuerName, assertions: nodes.storage,
                    refusals: service.refusals, limiter: UnlimitedRateLimiter(), limits: LimitSettings()),
                store: nodes.storage, proofs: nil, refusals: service.refusals, limiter: UnlimitedRateLimiter(),
                limits: LimitSettings(), keys: service.keys, time: service.clock.source)
            _ = try await requests.push(
                try AuthorizationFixture.form(["id_token_hint": hint.expose()]), basic: .absent, origin: origin())
        }
    }

    @Test func `a hint of a key that was made a moment ago elsewhere counts in an authorization request`() async throws
    {
        try await withKeys(nodes: 2) { nodes async throws in
            let leaked = try #require(nodes[0].ring.current.signing(.es256, at: noon)?.id)
            _ = try await nodes[0].retire([leaked], action: action(noon))
            let hint = try hint(by: nodes[0])
            let provider = try Provider(Service(storage: nodes.storage))
            provider.service.clients.add(try AuthorizationFixture.native())
            let authorizations = provider.authorizations(
                hints: IDTokenCodec(issuer: issuerName, keys: nodes[1].ring, inquiry: nodes[1]))
            let prepared = try await authorizations.prepare(
                try AuthorizationFixture.form(["id_token_hint": hint.expose()]),
                browser: .make(.formBinding, random: .system), isEmbedded: false, origin: origin())
            #expect(prepared.request?.expectedSubject == "alice")
        }
    }

    @Test func `a repeated issue is signed again with the key that took over`() async throws {
        try await withKeys(nodes: 2) { nodes async throws in
            let first = try #require(nodes[0].signing)
            _ = try await nodes[0].retire([first], action: action(noon))
            let again = try await codec(nodes[0]).sign(again: "{}", keyID: first, at: noon)
            #expect(again?.keyID == nodes[0].signing)
            // The other one has not heard of the key that took over, and repeats with it all the same.
            let taken = try #require(nodes[0].signing)
            #expect(try await codec(nodes[1]).sign(again: "{}", keyID: taken, at: noon)?.keyID == taken)
        }
    }

    @Test func `a forged key is asked for once, however often it comes`() async throws {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let keys = nodes.make("node", store: store)
            try await keys.load()
            let before = store.questions
            for _ in 0..<200 {
                #expect(try await codec(keys).verify(forged("forged"), at: noon) == .refused(.unknownKey))
            }
            #expect(store.questions == before + 1)
        }
    }

    @Test func `a name that is longer than any of ours is not asked for`() async throws {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let keys = nodes.make("node", store: store)
            try await keys.load()
            let before = store.questions
            _ = try await codec(keys).verify(forged(String(repeating: "a", count: 65)), at: noon)
            #expect(store.questions == before)
        }
    }

    @Test func `forged keys that come together share a question, and the next is a tenth of a second later`()
        async throws
    {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let gate = Gate()
            let keys = SigningKeys(
                store: store, master: try #require(MasterKey([UInt8](repeating: 3, count: 32))),
                time: nodes.clock.source,
                pause: { pause in
                    #expect(pause == SigningKeys.inquiryPause)
                    await gate.wait()
                })
            try await keys.reload()
            let before = store.questions
            try await keys.learn("first")
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<300 { group.addTask { try? await keys.learn("forged-\(number)") } }
                await gate.whenWaiting(300)
                nodes.clock.advance(SigningKeys.inquiryPause)
                await gate.open()
            }
            // One of the first, and of those that came together one, or two when some came as it began; one more for
            // each time that the scheduler stopped somebody who had found no answer until the second had begun, too.
            #expect((2...10).contains(store.questions - before))
        }
    }

    @Test func `where the database cannot say, nothing is refused for good`() async throws {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let keys = nodes.make("node", store: store)
            try await keys.load()
            store.isAway = true
            await #expect(throws: StorageError.self) { try await codec(keys).verify(forged("later"), at: noon) }
            store.isAway = false
            #expect(try await codec(keys).verify(forged("later"), at: noon) == .refused(.unknownKey))
        }
    }

    // MARK: A node that has not asked for a while

    @Test func `a node that was stopped asks before it believes a key`() async throws {
        try await withKeys { nodes async throws in
            let stopped = nodes.make("stopped")
            try await stopped.load()
            let old = try token(stopped)
            _ = try await nodes[0].retire([try #require(nodes[0].signing)], action: action(noon))
            nodes.clock.advance(.milliseconds(1_001))
            await stopped.beCurrent()
            #expect(try await codec(stopped).verify(old, at: nodes.clock.now) == .refused(.unknownKey))
        }
    }

    @Test func `what was read within the last second is not asked for again, but after a clock was set back`()
        async throws
    {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let keys = nodes.make("node", store: store)
            try await keys.load()
            await keys.beCurrent()
            let before = store.questions
            nodes.clock.advance(.seconds(1))
            await keys.beCurrent()
            #expect(store.questions == before)
            nodes.clock.advance(.milliseconds(1))
            await keys.beCurrent()
            #expect(store.questions == before + 1)
            nodes.clock.advance(.seconds(-3600))
            await keys.beCurrent()
            #expect(store.questions == before + 2)
        }
    }

    @Test func `while the database is away, one request a second finds that out`() async throws {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let keys = nodes.make("node", store: store)
            try await keys.load()
            nodes.clock.advance(.seconds(2))
            store.isAway = true
            let before = store.questions
            for _ in 0..<10 { await keys.beCurrent() }
            #expect(store.questions == before + 1)
            #expect(keys.signing != nil)
            nodes.clock.advance(.milliseconds(1_001))
            await keys.beCurrent()
            #expect(store.questions == before + 2)
        }
    }

    @Test func `whoever comes while the database is asked waits for that answer, and not for a second`() async throws {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            let keys = nodes.make("node", store: store)
            try await keys.load()
            let gate = Gate()
            store.gate = gate
            let before = store.questions
            async let first: Void = keys.beCurrent()
            await gate.whenWaiting(1)
            async let second: Void = keys.beCurrent()
            // Whoever comes too late to join finds the answer of a moment ago: the same count.
            for _ in 0..<1000 { await Task.yield() }
            await gate.open()
            _ = await (first, second)
            #expect(store.questions == before + 1)
        }
    }
}

/// Counts the questions for the keys' number; away when it is told so.
final class CountingKeyStore: SigningKeyStore {
    private let store: any SigningKeyStore
    private let state = Mutex((questions: 0, isAway: false, gate: Gate?.none, time: Timestamp?.none))

    init(_ store: any SigningKeyStore) { self.store = store }

    var questions: Int { state.withLock { $0.questions } }
    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }
    /// Holds up every question; `nil` for none.
    var gate: Gate? {
        get { state.withLock { $0.gate } }
        set { state.withLock { $0.gate = newValue } }
    }
    /// By a clock of its own; `nil` for none.
    var time: Timestamp? {
        get { state.withLock { $0.time } }
        set { state.withLock { $0.time = newValue } }
    }

    func signingKeysNumber() async throws -> Int64 {
        let isAway = state.withLock { state in
            state.questions += 1
            return state.isAway
        }
        await gate?.wait()
        if isAway { throw StorageError.unavailable("away") }
        return try await store.signingKeysNumber()
    }

    func signingKeys() async throws -> StoredSigningKeys { try await store.signingKeys() }

    func changeSigningKeys(_ change: SigningKeyChange, seenAs number: Int64, events: [AuditEvent]) async throws -> Bool
    {
        try await store.changeSigningKeys(change, seenAs: number, events: events)
    }

    func noteSigningKeys(_ number: Int64, knownTo node: String, at now: Timestamp) async throws {
        try await store.noteSigningKeys(number, knownTo: node, at: now)
    }

    func forgetSigningKeys(knownTo node: String) async throws { try await store.forgetSigningKeys(knownTo: node) }

    func signingKeyNumbers(notedSince instant: Timestamp) async throws -> [String: Int64] {
        try await store.signingKeyNumbers(notedSince: instant)
    }

    func databaseTime() async throws -> Timestamp? { time }
}

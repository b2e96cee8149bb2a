import Bridge
import Synchronization
import Testing

private let now = Timestamp(seconds: 1_800_000_000)
/// Its clocks stand still.
private let still = TimeSource { now }

private func answer(_ subject: String, until: Timestamp = now + .seconds(60)) -> BearerIdentity {
    BearerIdentity(
        subject: Subject(rawValue: subject), clientID: "app", issuer: "i", sessionID: nil,
        authentication: Authentication(), expiresAt: now + .seconds(600), cacheableUntil: until)
}

private func key(_ token: String) -> TokenDigest { TokenDigest(Secret(token)) }

extension BearerCache {
    fileprivate func keep(_ token: String, until: Timestamp = now + .seconds(60)) {
        insert(answer(token, until: until), for: key(token), verifiedIn: generation, at: now)
    }

    fileprivate func holds(_ token: String, at time: Timestamp = now) -> Bool {
        identity(for: key(token), at: time)?.subject.rawValue == token
    }
}

@Suite struct BearerCacheTests {
    @Test func `an answer is kept until its time, exclusively`() {
        let cache = BearerCache(time: still)
        cache.keep("t", until: now + .milliseconds(2))
        #expect(cache.holds("t", at: now + .milliseconds(1)))
        #expect(!cache.holds("t", at: now + .milliseconds(2)))
        #expect(cache.count == 0)
    }

    @Test func `an answer that is too old already is not kept`() {
        let cache = BearerCache(time: still)
        cache.keep("t", until: now)
        #expect(cache.count == 0)
    }

    @Test func `the entry unused for longest gives way`() {
        let cache = BearerCache(capacity: 3, time: still)
        for token in ["a", "b", "c"] { cache.keep(token) }
        #expect(cache.holds("a"))
        cache.keep("d")
        #expect(["a", "b", "c", "d"].map { cache.holds($0) } == [true, false, true, true])
    }

    @Test func `an answer that comes while the cache is emptied is not kept`() {
        let cache = BearerCache(time: still)
        let generation = cache.generation
        cache.removeAll()
        cache.insert(answer("t"), for: key("t"), verifiedIn: generation, at: now)
        #expect(!cache.holds("t"))
    }

    @Test(arguments: [1, 2, 7, 64])
    func `it behaves as a plain list of recent uses does`(capacity: Int) {
        var generator = SystemRandomNumberGenerator()
        let cache = BearerCache(capacity: capacity, time: still)
        var recent: [String] = []
        var lives: [String: Timestamp] = [:]
        for step in 0..<4000 {
            let token = "t\(Int.random(in: 0..<capacity * 2, using: &generator))"
            let time = now + .milliseconds(step)
            if Bool.random(using: &generator) {
                let until = time + .milliseconds(Int.random(in: 1...200, using: &generator))
                cache.insert(answer(token, until: until), for: key(token), verifiedIn: cache.generation, at: time)
                recent.removeAll { $0 == token }
                if recent.count == capacity { recent.removeLast() }
                recent.insert(token, at: 0)
                lives[token] = until
            } else {
                let isAlive = recent.contains(token) && lives[token].map { $0 > time } == true
                #expect(cache.holds(token, at: time) == isAlive)
                recent.removeAll { $0 == token }
                if isAlive { recent.insert(token, at: 0) }
            }
            #expect(cache.count == recent.count)
        }
    }
}

@Suite struct CachedBearerAuthenticatorTests {
    final class CountingAuthenticator: BearerAuthenticator {
        let calls = Mutex(0)

        func authenticate(_ token: Secret<String>, at now: Timestamp) throws -> BearerIdentity {
            calls.withLock { $0 += 1 }
            if token.expose() == "bad" { throw BearerRefusal.badSignature }
            return answer(token.expose())
        }

        /// As an issuer that is asked about each.
        func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool { true }

        var count: Int { calls.withLock { $0 } }
    }

    @Test func `a good token is verified once`() async throws {
        let verifier = CountingAuthenticator()
        let authenticator = CachedBearerAuthenticator(verifier, cache: BearerCache(time: still))
        for _ in 0..<3 { #expect(try await authenticator.authenticate(Secret("t"), at: now).subject == "t") }
        #expect(verifier.count == 1)
        #expect(try await authenticator.authenticate(Secret("u"), at: now).subject == "u")
        #expect(verifier.count == 2)
    }

    @Test func `a token is verified again when its answer is old, or after a reload`() async throws {
        let verifier = CountingAuthenticator()
        let authenticator = CachedBearerAuthenticator(verifier, cache: BearerCache(time: still))
        _ = try await authenticator.authenticate(Secret("t"), at: now)
        _ = try await authenticator.authenticate(Secret("t"), at: now + .seconds(60))
        #expect(verifier.count == 2)
        _ = try await authenticator.authenticate(Secret("t"), at: now)
        authenticator.reload()
        _ = try await authenticator.authenticate(Secret("t"), at: now)
        #expect(verifier.count == 4)
    }

    @Test func `an issuer is asked about what is not remembered, and about nothing else`() async throws {
        let authenticator = CachedBearerAuthenticator(
            CountingAuthenticator(), cache: BearerCache(time: still))
        #expect(authenticator.mustAskIssuer(about: Secret("t"), at: now))
        _ = try await authenticator.authenticate(Secret("t"), at: now)
        #expect(!authenticator.mustAskIssuer(about: Secret("t"), at: now))
        #expect(authenticator.mustAskIssuer(about: Secret("u"), at: now))
        #expect(authenticator.mustAskIssuer(about: Secret("t"), at: now + .seconds(60)))
    }

    @Test func `a refusal is not remembered`() async {
        let verifier = CountingAuthenticator()
        let authenticator = CachedBearerAuthenticator(verifier, cache: BearerCache(time: still))
        for _ in 0..<2 {
            await #expect(throws: BearerRefusal.badSignature) {
                try await authenticator.authenticate(Secret("bad"), at: now)
            }
        }
        #expect(verifier.count == 2)
    }
}

import Bridge
import Testing

@Suite struct PasswordHashTests {
    private static let cheap = PasswordCost(logarithm: 10, blockSize: 1, parallelism: 1) ?? .light

    private func hash(_ password: String, cost: PasswordCost = cheap) throws -> PasswordHash {
        try PasswordHash(Secret(password), cost: cost, random: .system)
    }

    @Test func `the right password matches, another does not`() throws {
        let hash = try hash("correct horse")
        #expect(try hash.matches(Secret("correct horse")))
        #expect(try hash.matches(Secret("correct horsf")) == false)
        #expect(try hash.matches(Secret("")) == false)
    }

    @Test func `one password gets a new salt every time`() throws {
        let texts = try [hash("correct horse").text, hash("correct horse").text]
        #expect(texts[0] != texts[1])
    }

    @Test func `the text form comes back whole`() throws {
        let hash = try hash("correct horse")
        #expect(PasswordHash(hash.text) == hash)
        #expect(hash.text.hasPrefix("$scrypt$ln=10,r=1,p=1$"))
    }

    /// RFC 7914 §12, the third vector, of which we keep the first 32 bytes.
    @Test func `the RFC's test vector`() throws {
        let hash = try #require(
            PasswordHash("$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046_2o-7qQT44-qbVD9lRdofI"))
        #expect(try hash.matches(Secret("pleaseletmein")))
        #expect(try hash.matches(Secret("pleaseletmeout")) == false)
    }

    @Test(arguments: [
        "", "$scrypt$ln=10,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA", "$argon2id$v=19$m=1$a$b",
        "$scrypt$ln=40,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=10,r=1,p=99$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `a text that is no hash, or costs more than we compute, is refused`(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test func `printing a hash shows nothing of it`() throws {
        let hash = try hash("correct horse")
        #expect("\(hash)" == "PasswordHash(<redacted>)")
    }

    @Test func `an accent is the same however it is composed`() throws {
        #expect(try hash("caf\u{E9} caf\u{E9}").matches(Secret("cafe\u{301} cafe\u{301}")))
    }

    @Test func `without a hash every password is wrong`() async throws {
        let hasher = PasswordHasher(cost: Self.cheap)
        #expect(try await !hasher.verify(Secret("correct horse"), against: nil))
    }

    @Test func `whoever comes while too many wait is turned away`() async throws {
        let hasher = PasswordHasher(cost: Self.cheap, width: 1, maximumWaiting: 1)
        let gate = AsyncStream<Void>.makeStream()
        let entered = AsyncStream<Void>.makeStream()
        async let first: Void = hasher.turn {
            entered.continuation.yield()
            for await _ in gate.stream { break }
        }
        for await _ in entered.stream { break }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do {
                        try await hasher.turn {}
                        return true
                    } catch {
                        // One is refused while the other waits; only then may the first go on.
                        gate.continuation.yield()
                        return false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        try await first
        #expect(outcomes.sorted { !$0 && $1 } == [false, true])
    }

    @Test(.timeLimit(.minutes(1)))
    func `who gives up while waiting leaves the line, and nobody loses a turn`() async throws {
        let hasher = PasswordHasher(cost: Self.cheap, width: 1, maximumWaiting: 1)
        let gate = AsyncStream<Void>.makeStream()
        let entered = AsyncStream<Void>.makeStream()
        async let first: Void = hasher.turn {
            entered.continuation.yield()
            for await _ in gate.stream { break }
        }
        defer { gate.continuation.finish() }
        for await _ in entered.stream { break }
        // More than have room to wait together.
        for _ in 0..<3 {
            let waiting = Task { try await hasher.turn {} }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        gate.continuation.yield()
        try await first
        try await hasher.turn {}
    }
}

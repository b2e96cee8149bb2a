import Testing

@testable import Bridge

@Suite struct ShortLivedCacheTests {
    private let cache = ShortLivedCache<String, Int>()
    private let now = Timestamp(seconds: 1_000)

    @Test func `a value is remembered for a second and no longer`() async throws {
        #expect(try await cache.value(for: "a", at: now) { 1 } == 1)
        #expect(try await cache.value(for: "a", at: now + .milliseconds(999)) { 2 } == 1)
        #expect(try await cache.value(for: "a", at: now + .seconds(1)) { 3 } == 3)
    }

    @Test func `what is forgotten is asked for again`() async throws {
        _ = try await cache.value(for: "a", at: now) { 1 }
        _ = try await cache.value(for: "b", at: now) { 1 }
        cache.forget("a")
        #expect(try await cache.value(for: "a", at: now) { 2 } == 2)
        #expect(try await cache.value(for: "b", at: now) { 2 } == 1)
        cache.removeAll()
        #expect(try await cache.value(for: "b", at: now) { 3 } == 3)
    }

    @Test(arguments: [true, false])
    func `a value that was being read when it was forgotten is not kept`(everything: Bool) async throws {
        let read = try await cache.value(for: "a", at: now) {
            if everything { cache.removeAll() } else { cache.forget("a") }
            return 1
        }
        #expect(read == 1)
        #expect(try await cache.value(for: "a", at: now) { 2 } == 2)
    }

    @Test func `of look-ups at the same time the first that ends is kept`() async throws {
        // A key that is always being asked for must not stay uncached because a later look-up always waits.
        let first = try await cache.value(for: "a", at: now) {
            let second = try await cache.value(for: "a", at: now) {
                _ = try await cache.value(for: "a", at: now) { 3 }
                #expect(try await cache.value(for: "a", at: now) { 4 } == 3)
                return 2
            }
            #expect(second == 2)
            return 1
        }
        #expect(first == 1)
        #expect(try await cache.value(for: "a", at: now) { 5 } == 1)
    }

    @Test func `forgetting one key keeps what is being read for another`() async throws {
        _ = try await cache.value(for: "a", at: now) {
            cache.forget("b")
            return 1
        }
        #expect(try await cache.value(for: "a", at: now) { 2 } == 1)
    }

    @Test func `a failed look-up is not kept and the next one is`() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await cache.value(for: "a", at: now) { throw Failure() } }
        #expect(try await cache.value(for: "a", at: now) { 1 } == 1)
        #expect(try await cache.value(for: "a", at: now) { 2 } == 1)
    }

    @Test func `a full cache forgets everything and goes on`() async throws {
        let small = ShortLivedCache<String, Int>(capacity: 2)
        for key in ["a", "b", "c"] { _ = try await small.value(for: key, at: now) { 1 } }
        #expect(try await small.value(for: "a", at: now) { 2 } == 2)
        #expect(try await small.value(for: "c", at: now) { 2 } == 1)
    }
}

import Testing

@testable import Bridge

@Suite struct ShortLivedCacheTests {
    private let clock = FixedClock()
    private let cache: ShortLivedCache<String, Int>

    init() { cache = ShortLivedCache(time: clock.source) }

    @Test func `a value is remembered for half a second and no longer`() async throws {
        #expect(try await cache.value(for: "a") { 1 } == 1)
        clock.advance(.milliseconds(499))
        #expect(try await cache.value(for: "a") { 2 } == 1)
        clock.advance(.milliseconds(1))
        #expect(try await cache.value(for: "a") { 3 } == 3)
    }

    @Test func `what is forgotten is asked for again`() async throws {
        _ = try await cache.value(for: "a") { 1 }
        _ = try await cache.value(for: "b") { 1 }
        cache.forget("a")
        #expect(try await cache.value(for: "a") { 2 } == 2)
        #expect(try await cache.value(for: "b") { 2 } == 1)
        cache.removeAll()
        #expect(try await cache.value(for: "b") { 3 } == 3)
    }

    @Test(arguments: [true, false])
    func `a value that was being read when it was forgotten is not kept`(everything: Bool) async throws {
        let read = try await cache.value(for: "a") {
            if everything { cache.removeAll() } else { cache.forget("a") }
            return 1
        }
        #expect(read == 1)
        #expect(try await cache.value(for: "a") { 2 } == 2)
    }

    @Test func `of look-ups at the same time the first that ends is kept`() async throws {
        // A key that is always being asked for must not stay uncached because a later look-up always waits.
        let first = try await cache.value(for: "a") {
            let second = try await cache.value(for: "a") {
                _ = try await cache.value(for: "a") { 3 }
                #expect(try await cache.value(for: "a") { 4 } == 3)
                return 2
            }
            #expect(second == 2)
            return 1
        }
        #expect(first == 1)
        #expect(try await cache.value(for: "a") { 5 } == 1)
    }

    @Test func `forgetting one key keeps what is being read for another`() async throws {
        _ = try await cache.value(for: "a") {
            cache.forget("b")
            return 1
        }
        #expect(try await cache.value(for: "a") { 2 } == 1)
    }

    @Test func `a failed look-up is not kept and the next one is`() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await cache.value(for: "a") { throw Failure() } }
        #expect(try await cache.value(for: "a") { 1 } == 1)
        #expect(try await cache.value(for: "a") { 2 } == 1)
    }

    @Test func `what its caller looks up is remembered for half a second from the beginning of the look-up`()
        async throws
    {
        let lookUp = try #require(cache.lookUp("a"))
        clock.advance(.milliseconds(499))
        lookUp.end(with: 1)
        let isRemembered = cache.lookUp("a") == nil
        #expect(isRemembered)
        clock.advance(.milliseconds(1))
        #expect(try await cache.value(for: "a") { 2 } == 2)
    }

    @Test(arguments: [true, false])
    func `what is forgotten before its caller has looked it up is not kept`(everything: Bool) async throws {
        let lookUp = try #require(cache.lookUp("a"))
        if everything { cache.removeAll() } else { cache.forget("a") }
        lookUp.end(with: 1)
        #expect(try await cache.value(for: "a") { 2 } == 2)
    }

    @Test func `after a look-up that found nothing out the next one is kept`() async throws {
        try #require(cache.lookUp("a")).abandon()
        #expect(try await cache.value(for: "a") { 1 } == 1)
        #expect(try await cache.value(for: "a") { 2 } == 1)
    }

    @Test func `a full cache forgets everything and goes on`() async throws {
        let small = ShortLivedCache<String, Int>(capacity: 2, time: clock.source)
        for key in ["a", "b", "c"] { _ = try await small.value(for: key) { 1 } }
        #expect(try await small.value(for: "a") { 2 } == 2)
        #expect(try await small.value(for: "c") { 2 } == 1)
    }
}

import OAuth2
import Testing

@testable import Bridge

@Suite struct SigningKeysTests {
    private let master = MasterKey([UInt8](repeating: 3, count: 32))

    @Test func `a new key is published before it signs, the old one verifies until its tokens are dead`() async throws {
        try await withService { service async throws in
            let keys = SigningKeys(
                store: service.storage, master: try #require(master), time: service.clock.source)
            try await keys.load()
            let start = service.clock.now
            let old = try #require(keys.ring.current.signing(.es256, at: start))
            try await keys.rotate()
            let ring = keys.ring.current
            #expect(ring.publicKeySet(at: start).object?["keys"]?.array?.count == 6)
            #expect(ring.signing(.es256, at: start)?.id == old.id)
            let activation = start + SigningKeys.publication
            #expect(ring.signing(.es256, at: activation)?.id != old.id)
            let end = activation + SigningKeys.longestTokenLife
            #expect(ring.verifying(old.id, at: end - .milliseconds(1)) != nil)
            #expect(ring.verifying(old.id, at: end) == nil)
            #expect(ring.known(old.id) != nil)
        }
    }

    @Test func `a second process has the same keys, another master key opens none`() async throws {
        try await withService { service async throws in
            let first = SigningKeys(
                store: service.storage, master: try #require(master), time: service.clock.source)
            try await first.load()
            let second = SigningKeys(
                store: service.storage, master: try #require(master), time: service.clock.source)
            try await second.load()
            let now = service.clock.now
            #expect(first.ring.current.publicKeySet(at: now) == second.ring.current.publicKeySet(at: now))
            let stranger = SigningKeys(
                store: service.storage, master: try #require(MasterKey([UInt8](repeating: 4, count: 32))),
                time: service.clock.source)
            await #expect(throws: MasterKeyError.self) { try await stranger.load() }
        }
    }

    @Test func `what is sealed opens under its own name only`() throws {
        let master = try #require(master)
        let sealed = try master.seal([1, 2, 3], name: "a")
        #expect(try master.open(sealed, name: "a") == [1, 2, 3])
        #expect(throws: MasterKeyError.self) { try master.open(sealed, name: "b") }
        let changed = (sealed.hasPrefix("A") ? "B" : "A") + sealed.dropFirst()
        #expect(throws: MasterKeyError.self) { try master.open(changed, name: "a") }
        #expect(MasterKey([1, 2, 3]) == nil)
    }
}

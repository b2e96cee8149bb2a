import OAuth2
import Testing

@testable import Bridge

/// When a key signs and ends is written down for all nodes: by a clock that agrees with the database's (ADR-0010).
@Suite struct WrongClockKeysTests {
    @Test(arguments: [61, -61, 100 * 86_400])
    func `keys are not rotated by a clock that is not the database's`(seconds: Int) async throws {
        try await withKeys { nodes async throws in
            try await nodes[0].rotate()
            let before = try await nodes.storage.signingKeys()
            let command = command(over: nodes, ahead: seconds)
            let error = await #expect(throws: ClockError.self) { try await command.rotate() }
            #expect(error?.lead == .seconds(seconds))
            #expect(try await nodes.storage.signingKeys() == before)
        }
    }

    @Test(arguments: [-60, 0, 60])
    func `keys are rotated by a clock that is within a minute of the database's`(seconds: Int) async throws {
        try await withKeys { nodes async throws in
            try await command(over: nodes, ahead: seconds).rotate()
            #expect(try await nodes.keys(.es256).count == 2)
        }
    }

    @Test func `an administrator is told that it is the clock which keeps keys from being rotated`() async throws {
        try await withKeys { nodes async throws in
            let command = command(over: nodes, ahead: 61)
            let error = await #expect(throws: OAuthError.self) {
                try await command.rotate(action: action(nodes.clock.now))
            }
            #expect(error?.code == .conflict && error?.publicDescription?.contains("clock") == true)
        }
    }

    @Test func `a key that takes over at a retirement by a machine 100 days ahead signs at once on the other nodes`()
        async throws
    {
        try await withKeys { nodes async throws in
            let store = CountingKeyStore(nodes.storage)
            store.time = nodes.clock.now
            let machine = nodes.make(nil, store: store, clockBehind: .seconds(-100 * 86_400))
            let leaked = try #require(nodes[0].signing)
            let done = try await machine.retire([leaked], action: action(machine.now))
            try await nodes[0].refresh()
            #expect(nodes[0].signing != nil)
            #expect(nodes[0].signing == done?.signing[.hs256])
        }
    }

    @Test func `a key that has signed before signs no more, although the database's clock is 100 days behind`()
        async throws
    {
        try await withKeys { nodes async throws in
            let first = try #require(nodes[0].signing)
            try await nodes[0].rotate()
            nodes.clock.advance(.seconds(600))
            try await nodes[0].refresh()
            let leaked = try #require(nodes[0].signing)
            #expect(leaked != first)
            let done = try await command(over: nodes, ahead: 100 * 86_400)
                .retire([leaked], action: action(nodes.clock.now))
            try await nodes[0].refresh()
            #expect(nodes[0].signing != first)
            #expect(nodes[0].signing == done?.signing[.hs256])
        }
    }

    @Test func `nor does it where a command's clock is a day behind`() async throws {
        try await withKeys { nodes async throws in
            let first = try #require(nodes[0].signing)
            try await nodes[0].rotate()
            nodes.clock.advance(.seconds(600))
            try await nodes[0].refresh()
            let leaked = try #require(nodes[0].signing)
            let store = CountingKeyStore(nodes.storage)
            store.time = nodes.clock.now
            let command = nodes.make(nil, store: store, clockBehind: .seconds(86_400))
            _ = try await command.retire([leaked], action: action(nodes.clock.now))
            try await nodes[0].refresh()
            #expect(nodes[0].signing != nil && nodes[0].signing != first)
        }
    }

    @Test(arguments: [(5, "is 5 s ahead of the database's"), (-7, "is 7 s behind the database's")])
    func `whoever calls the command is told which way, and by how much`(seconds: Int, words: String) {
        #expect(ClockError(lead: .seconds(seconds)).description.contains(words))
    }

    /// What a command has whose machine's clock is so much ahead of the database's.
    private func command(over nodes: KeyNodes, ahead seconds: Int) -> SigningKeys {
        let store = CountingKeyStore(nodes.storage)
        store.time = nodes.clock.now - .seconds(seconds)
        return nodes.make(nil, store: store)
    }
}

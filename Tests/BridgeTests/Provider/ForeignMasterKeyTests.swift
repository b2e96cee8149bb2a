import OAuth2
import Testing

@testable import Bridge

/// Retirements by a command whose master key is another than the servers'.
@Suite struct ForeignMasterKeyTests {
    @Test func `new keys under another master key would shut servers out, whether all are retired or one`()
        async throws
    {
        try await withKeys { nodes async throws in
            let foreign = nodes.make(nil, master: 4)
            #expect(try await foreign.wouldShutOutServers(retiring: nil))
            let signing = try #require(nodes[0].signing)
            #expect(try await foreign.wouldShutOutServers(retiring: [signing]))
            // It was only asked.
            try await nodes[0].refresh()
            #expect(nodes[0].signing == signing)
        }
    }

    @Test func `new keys under the servers' own master key shut nobody out`() async throws {
        try await withKeys { nodes async throws in
            let own = nodes.make(nil)
            #expect(try await !own.wouldShutOutServers(retiring: nil))
        }
    }

    @Test func `where a key that servers open is next in line, a retirement under another master key is harmless`()
        async throws
    {
        try await withKeys { nodes async throws in
            let leaked = try #require(try await nodes.keys(.es256).first?.id)
            try await nodes[0].rotate()
            let foreign = nodes.make(nil, master: 4)
            #expect(try await !foreign.wouldShutOutServers(retiring: [leaked]))
        }
    }

    @Test func `where one key in force is opened, the master key is no other one`() async throws {
        try await withKeys { nodes async throws in
            let foreign = nodes.make(nil, master: 4, algorithms: [.hs256])
            // As an operator leaves it who did so while all servers were stopped.
            let signing = try #require(nodes[0].signing)
            _ = try await foreign.retire([signing], action: action(nodes.clock.now))
            #expect(try await !foreign.wouldShutOutServers(retiring: nil))
        }
    }
}

package import Bridge
import OAuth2
import TestSupport

/// Random trees of everything that one thing can come from another by, of which one part is ended while they grow: a
/// property that every engine must keep (contract §16.6).
///
/// After an end nothing below answers, nothing beside is touched, and every website below has been told once.
package struct LineageTrees: Sendable {
    private let servers: [any BridgeStorage]
    private let seed: UInt64

    /// - Parameter servers: handles on one storage, initially empty.
    package init(_ servers: [any BridgeStorage], seed: UInt64) {
        self.servers = servers
        self.seed = seed
    }

    /// - Parameter together: trees that grow at a time.
    package func check(_ count: Int, together: Int = 32) async throws {
        try await servers[0].changeLogoutSubscribers(adding: ["app"], removing: [])
        for start in stride(from: 0, to: count, by: together) {
            let told = try await withThrowingTaskGroup(of: Set<SessionID>.self) { group in
                for number in start..<min(start + together, count) {
                    group.addTask {
                        var tree = LineageTree(
                            name: "t\(number)", servers: servers, random: SplitMix64(seed: seed &+ UInt64(number)))
                        return try await tree.run()
                    }
                }
                return try await group.reduce(into: Set()) { $0.formUnion($1) }
            }
            try await expectTold(told)
        }
    }

    /// Every client that wanted to hear of an end has one notice of it, and nobody has one of anything else.
    private func expectTold(_ wanted: Set<SessionID>) async throws {
        var found: [SessionID] = []
        while true {
            let notices = try await servers[0].takeLogoutNotices(
                dueAt: Sample.now + .seconds(60), lease: .seconds(600), limit: 500, sparing: [])
            guard !notices.isEmpty else { break }
            found += notices.map(\.sessionID)
            for notice in notices {
                try await servers[0].settleLogoutNotice(notice.id, event: Sample.event(.logoutNoticeSent))
            }
        }
        try expectEqual(found.count, Set(found).count, "notices, each once")
        try expectEqual(Set(found), wanted, "who was told")
    }
}

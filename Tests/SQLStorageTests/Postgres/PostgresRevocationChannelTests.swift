import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"), .timeLimit(.minutes(3)))
struct PostgresRevocationChannelTests {
    @Test func `a session that one node ends is heard of by another, also after a lost connection`() async throws {
        let server = try await PostgresServer.start()
        try await PostgresDatabase.with(on: server) { database in
            let storage = try await database.open()
            let (heard, continuation) = AsyncStream.makeStream(of: RevocationNews.self)
            let channel = PostgresRevocationChannel(database.address, logger: .silent)
            let listener = Task { await channel.listen { continuation.yield($0) } }
            var news = heard.makeAsyncIterator()
            try await database.untilListening()
            try await Self.end("first", on: storage)
            #expect(await news.next() == .gap)
            #expect(await news.next() == .ended("session-first"))
            _ = try server.administrator().run(
                """
                SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
                WHERE application_name = 'drawbridge listener'
                """)
            try await database.untilListening()
            try await Self.end("second", on: storage)
            #expect(await news.next() == .gap)
            #expect(await news.next() == .ended("session-second"))
            listener.cancel()
            await listener.value
        }
        await server.end()
    }

    @Test func `keys that one node changes are heard of by another, right after the commit`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open()
            let (heard, continuation) = AsyncStream.makeStream(of: RevocationNews.self)
            let channel = PostgresRevocationChannel(database.address, logger: .silent)
            let listener = Task { await channel.listen { continuation.yield($0) } }
            var news = heard.makeAsyncIterator()
            try await database.untilListening()
            let change = SigningKeyChange(saved: [], removed: ["nobody"])
            // One that is too late says nothing.
            #expect(try await !storage.changeSigningKeys(change, seenAs: 7, events: []))
            #expect(try await storage.changeSigningKeys(change, seenAs: 0, events: []))
            try await Self.end("after", on: storage)
            #expect(await news.next() == .gap)
            #expect(await news.next() == .keysChanged)
            #expect(await news.next() == .ended("session-after"))
            listener.cancel()
            await listener.value
        }
    }

    private static func end(_ name: String, on storage: DurableStorage) async throws {
        _ = try await storage.redeemSample(name)
        _ = try await storage.end(
            .webSession(SessionID(rawValue: "session-\(name)")),
            .sample(at: Timestamp(milliseconds: 1_763_708_500_000)))
    }
}

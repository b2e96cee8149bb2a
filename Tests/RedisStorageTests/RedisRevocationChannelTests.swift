import Bridge
import Synchronization
import Testing

@testable import RedisStorage

@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisRevocationChannelTests {
    private final class Inbox: Sendable {
        private let received = Mutex<[RevocationNews]>([])
        var news: [RevocationNews] { received.withLock { $0 } }
        func take(_ news: RevocationNews) { received.withLock { $0.append(news) } }
    }

    @Test func `every node hears of an ended session, of changed keys, and of what it may have missed`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let channel = RedisRevocationChannel(client: client)
                let inboxes = [Inbox(), Inbox()]
                let listeners = inboxes.map { inbox in Task { await channel.listen { inbox.take($0) } } }
                for inbox in inboxes { try await eventually { inbox.news == [.gap] } }
                try await channel.publish(["one", "two"])
                for inbox in inboxes { try await eventually { inbox.news == [.gap, .ended("one"), .ended("two")] } }
                try await channel.publishKeyChange()
                for inbox in inboxes { try await eventually { inbox.news.last == .keysChanged } }

                server.kill()
                try await eventually { !(await client.isAvailable) }
                await #expect(throws: StorageError.self) { try await channel.publish(["three"]) }
                try server.launch()
                for inbox in inboxes { try await eventually { inbox.news.last == .gap && inbox.news.count == 5 } }
                try await eventually { await client.isAvailable }
                try await channel.publish(["four"])
                for inbox in inboxes { try await eventually { inbox.news.last == .ended("four") } }
                for listener in listeners {
                    listener.cancel()
                    await listener.value
                }
            }
        }
    }

    @Test func `other channels are not heard`() async throws {
        try await RedisServer.with { server in
            try await TestClient.with(TestClient.settings(server.address)) { client in
                let inbox = Inbox()
                let listener = Task { await RedisRevocationChannel(client: client).listen { inbox.take($0) } }
                try await eventually { inbox.news == [.gap] }
                try await RedisRevocationChannel(client: client, prefix: "other:").publish(["foreign"])
                try await RedisRevocationChannel(client: client).publish(["mine"])
                try await eventually { inbox.news == [.gap, .ended("mine")] }
                listener.cancel()
                await listener.value
            }
        }
    }
}

package import Bridge
import NIOCore

/// Tells all nodes of ended sessions and changed keys by publish and subscribe.
package struct RedisRevocationChannel: RevocationChannel {
    private let client: RedisClient
    private let topic: String

    /// - Parameter prefix: in front of the channel's name, so that a server can be shared.
    package init(client: RedisClient, prefix: String) {
        self.client = client
        topic = RedisKeys(prefix: prefix).endings
    }

    package func publish(_ ids: [SessionID]) async throws { try await publish(ids.map(\.rawValue)) }

    package func publishKeyChange() async throws { try await publish([RevocationNews.keyChange]) }

    private func publish(_ texts: [String]) async throws {
        let replies = try await client.send(texts.map { RedisCommand("PUBLISH", topic, $0) })
        if let error = replies.lazy.compactMap(\.serverError).first {
            throw StorageError.redis(RedisConnectionError.refused(error))
        }
    }

    /// Keeps a connection of its own, since one that subscribes takes no other commands.
    package func listen(_ receive: @escaping @Sendable (RevocationNews) -> Void) async {
        let limits = client.connector.settings.limits
        let line = RedisLine(
            name: "revocations", limits: limits, eventLoop: client.connector.group.any(), logger: client.logger
        ) { [client, topic] in
            let connection = try await client.connectForMessages { message in
                guard message.count == 3, let text = message[2].text else { return }
                receive(RevocationNews(text: text))
            }
            do {
                if let error = try await connection.send([RedisCommand("SUBSCRIBE", topic)])[0].serverError {
                    throw RedisConnectionError.refused(error)
                }
            } catch {
                connection.close()
                throw error
            }
            // Only now can nothing be missed any more.
            receive(.gap)
            return connection
        }
        while !Task.isCancelled {
            // Notices a server that is gone without a word, and keeps middleboxes from forgetting the connection.
            try? await Task.sleep(for: .seconds(1))
            _ = try? await line.send([RedisCommand("PING")])
        }
        await line.close()
    }
}

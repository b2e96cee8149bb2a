/// Several ways for the same news: what one loses another may bring.
package struct RevocationChannels: RevocationChannel {
    private let channels: [any RevocationChannel]

    package init(_ channels: [any RevocationChannel]) { self.channels = channels }

    package func publish(_ ids: [SessionID]) async throws { try await onEach { try await $0.publish(ids) } }

    package func publishKeyChange() async throws { try await onEach { try await $0.publishKeyChange() } }

    private func onEach(_ publish: (any RevocationChannel) async throws -> Void) async throws {
        var failure: (any Error)?
        for channel in channels {
            do { try await publish(channel) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    package func listen(_ receive: @escaping @Sendable (RevocationNews) -> Void) async {
        await withDiscardingTaskGroup { group in
            for channel in channels { group.addTask { await channel.listen(receive) } }
        }
    }
}

/// Carries word of ended sessions and of changed keys to the other nodes, faster than they ask the store.
///
/// News only: what counts is the store. A node that hears nothing is no less safe, it asks (contract §7).
package protocol RevocationChannel: Sendable {
    /// Tells every node that listens, this one included.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when the message cannot be passed on.
    func publish(_ ids: [SessionID]) async throws

    /// Tells every node that listens that signing keys were added or retired.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when the message cannot be passed on.
    func publishKeyChange() async throws

    /// Calls `receive` for every message until the task is cancelled, over any number of lost connections.
    func listen(_ receive: @escaping @Sendable (RevocationNews) -> Void) async
}

/// What nodes tell each other, so that none goes on answering from memory (contract §7).
package enum RevocationNews: Hashable, Sendable {
    case ended(SessionID)
    case keysChanged
    /// Listening began, or began again: what came before may have been missed, so nothing remembered can be believed.
    case gap
}

extension RevocationNews {
    /// Reads what ``keyChange`` or a session's id was sent as.
    package init(text: String) {
        self = text == Self.keyChange ? .keysChanged : .ended(SessionID(rawValue: text))
    }

    /// ``keysChanged`` on its way; no session's id has an asterisk.
    package static let keyChange = "*keys"
}

/// Several channels for the same messages: what one loses another may bring.
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

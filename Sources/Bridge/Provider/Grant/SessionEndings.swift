/// Ends sessions and devices, and has this node and the listening ones forget them.
package final class SessionEndings: Sendable {
    private let store: any SessionStore
    private let webSessions: WebSessions
    private let appSessions: AppSessions
    private let onEnd: @Sendable () -> Void
    /// Asks what other nodes have ended, once for all callers that wait for it.
    private let hear: FreshRun
    /// Whose end was heard of lately. An app that revokes the same thing again and again has the store asked twice a
    /// second.
    private let heard: ShortLivedCache<EndingRoot, Bool>

    /// - Parameter onEnd: called after something ended, so that its clients hear of it soon.
    package init(
        store: any SessionStore, webSessions: WebSessions, appSessions: AppSessions,
        onEnd: @escaping @Sendable () -> Void = {}, time: TimeSource
    ) {
        self.store = store
        self.webSessions = webSessions
        self.appSessions = appSessions
        self.onEnd = onEnd
        hear = FreshRun {
            appSessions.forgetAll()
            try await webSessions.refresh()
        }
        heard = ShortLivedCache(time: time)
    }

    /// Ends `root` with everything that descends from it (contract §7).
    /// - Parameter first: events that go ahead of those of the ends, such as the reuse that led to it.
    @discardableResult
    package func end(_ root: EndingRoot, _ ending: Ending, first: [AuditEvent] = []) async throws -> Ended {
        let ended = try await store.end(root, ending, first: first)
        await take(in: ended, of: root)
        return ended
    }

    /// Takes in what another verb ended.
    /// - Parameter root: what it was asked to end, if its caller is told that this has ended.
    package func take(in ended: Ended, of root: EndingRoot? = nil) async {
        if !ended.isEmpty {
            for id in ended.sessions { appSessions.forget(id) }
            await webSessions.forget(ended.sessions)
            onEnd()
        }
        if let root, !ended.includes(root) { await hearOfOthers(about: root) }
    }

    /// Another node was quicker, and its news may be still to come: a caller that is told here that something has ended
    /// must not find it, or what descends from it, alive here.
    private func hearOfOthers(about root: EndingRoot) async {
        // A store that does not answer has this node believe nothing after a second, as always.
        switch root {
        case .appSession, .device, .webSession:
            // All of it ended in one transaction, before that was asked here for the first time.
            _ = try? await heard.value(for: root) {
                try await hear()
                return true
            }
        case .user, .opened, .granted: try? await hear()
        case .unused: break
        }
    }
}

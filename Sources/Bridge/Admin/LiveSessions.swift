/// Everybody's sessions that live now, the newest first.
///
/// They are found by the events of their opening, which stand in the order of time and say where and with what; the
/// sessions themselves are kept by their ids and know neither. So no index is there for this list alone, which every
/// redemption would have to write. What was opened longer ago than the log goes back is not found.
package struct LiveSessions: Sendable {
    /// A session, and what the event of its opening says of where it came from.
    package struct Found: Hashable, Sendable {
        package let session: SessionOverview
        package let trace: SessionTrace
    }

    /// What one search gave, and where the next one continues.
    package struct Page: Sendable {
        package let found: [Found]
        /// Where to go on; `nil` when all was looked at. There may be more although a page is not full.
        package let next: AuditCursor?
    }

    private let store: any AuditLog & SessionStore & GrantStore
    /// Searches for one page: among many that have ended, the caller asks for the next page rather than wait.
    private static let rounds = 8

    package init(store: any AuditLog & SessionStore & GrantStore) { self.store = store }

    /// - Parameter client: the app or website that it belongs to, or that it was opened from.
    package func page(
        of kind: SessionOverview.Kind, client: ClientID?, before start: AuditCursor?, limit: Int, at now: Timestamp
    ) async throws -> Page {
        var filter = AuditFilter(type: kind == .web ? .webSessionOpened : .appSessionOpened)
        filter.clientID = client
        var cursor = start
        var found: [Found] = []
        for _ in 0..<Self.rounds where found.count < limit {
            // As many as there is room for: a page ends where a search ends.
            let page = try await store.search(filter, before: cursor, limit: limit - found.count)
            for record in page.records {
                guard let id = record.event.sessionID, let session = try await session(id, kind),
                    session.isAlive(at: now)
                else { continue }
                found.append(Found(session: session, trace: SessionTrace(record)))
            }
            cursor = page.next
            if cursor == nil { break }
        }
        return Page(found: found, next: cursor)
    }

    private func session(_ id: SessionID, _ kind: SessionOverview.Kind) async throws -> SessionOverview? {
        switch kind {
        case .web: try await store.session(id: id).map { SessionOverview($0) }
        case .app: try await store.appSession(id: id).map { SessionOverview($0) }
        }
    }
}

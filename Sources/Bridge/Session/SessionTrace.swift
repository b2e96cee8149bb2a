/// Where and with what a session was opened, as the audit log has it: sessions themselves keep neither.
package struct SessionTrace: Hashable, Sendable {
    package let address: NetworkAddress?
    /// What the browser or app said of itself; cut, and nothing that can be trusted.
    package let userAgent: String?

    /// - Parameter record: that of the session's opening.
    init(_ record: AuditRecord) {
        address = record.event.address.flatMap { NetworkAddress($0) }
        userAgent = record.event.userAgent
    }
}

extension AuditLog {
    /// The traces of sessions of one user, however old. Some lack one: those older than the log, and of many those
    /// between which the user did more than a look-up for people should read.
    /// - Parameter sessions: a page of a list.
    package func traces(of sessions: [SessionOverview]) async throws -> [SessionID: SessionTrace] {
        let slack = Duration.seconds(10)
        let rounds = 8
        var traces: [SessionID: SessionTrace] = [:]
        for (kind, type) in [(SessionOverview.Kind.web, AuditEventType.webSessionOpened), (.app, .appSessionOpened)] {
            let wanted = sessions.filter { $0.kind == kind }
            let opened = wanted.map(\.createdAt)
            guard let first = opened.min(), let last = opened.max() else { continue }
            var missing = Set(wanted.map(\.id))
            var filter = AuditFilter(type: type)
            filter.subject = wanted[0].subject
            // The event of an opening has about the session's own time.
            (filter.from, filter.to) = (first - slack, last + slack)
            var cursor: AuditCursor?
            for _ in 0..<rounds {
                let page = try await search(filter, before: cursor, limit: 200)
                for record in page.records {
                    guard let id = record.event.sessionID, missing.remove(id) != nil else { continue }
                    traces[id] = SessionTrace(record)
                }
                cursor = page.next
                if cursor == nil || missing.isEmpty { break }
            }
        }
        return traces
    }

    /// The traces of a user's youngest sessions.
    package func latestTraces(of subject: Subject) async throws -> [SessionID: SessionTrace] {
        var traces: [SessionID: SessionTrace] = [:]
        for type in [AuditEventType.webSessionOpened, .appSessionOpened] {
            var filter = AuditFilter(type: type)
            filter.subject = subject
            for record in try await search(filter, before: nil, limit: 200).records {
                guard let id = record.event.sessionID else { continue }
                traces[id] = SessionTrace(record)
            }
        }
        return traces
    }
}

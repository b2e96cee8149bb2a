/// Where and with what a session was opened, as the audit log has it: sessions themselves keep neither.
package struct SessionTrace: Hashable, Sendable {
    package let address: NetworkAddress?
    /// What the browser or app said of itself; cut, and nothing that can be trusted.
    package let userAgent: String?

    /// - Parameter record: of the event of the session's opening.
    init(_ record: AuditRecord) {
        address = record.event.address.flatMap { NetworkAddress($0) }
        userAgent = record.event.userAgent
    }
}

extension AuditLog {
    /// The traces of a user's youngest sessions.
    package func traces(of subject: Subject) async throws -> [SessionID: SessionTrace] {
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

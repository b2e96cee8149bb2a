import OAuth2

/// The statement that a chain's oldest part was removed on purpose, written into the log itself.
///
/// A checkpoint says what the remaining events must follow; this says that somebody was allowed to cut there. Without
/// it a cut looks like a theft, and is reported as one.
package struct AuditCut: Hashable, Sendable {
    package let node: String
    /// The last sequence that went.
    package let through: Int64

    package init(node: String, through: Int64) {
        self.node = node
        self.through = through
    }

    package func event(at now: Timestamp) -> AuditEvent {
        var detail = JSONObjectWriter()
        detail.add("node", node)
        detail.add("through", through)
        return AuditEvent(
            at: now, type: .auditPurged, outcome: .success, reason: "retention",
            detail: String(decoding: detail.finish(), as: UTF8.self))
    }

    /// Reads the statement of an event whose hash holds.
    init?(_ record: AuditRecord) {
        guard record.event.type == .auditPurged, record.isIntact, let detail = record.event.detail,
            let members = JSONValue.parse(detail.utf8)?.object, let node = members["node"]?.string,
            let through = members["through"]?.integer
        else { return nil }
        self.init(node: node, through: through)
    }
}

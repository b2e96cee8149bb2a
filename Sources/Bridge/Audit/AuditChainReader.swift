/// Reads one node's chain from its first event to a head, page by page.
struct AuditChainReader: Sendable {
    private let log: any AuditLog
    private let head: AuditChainHead

    init(_ log: any AuditLog, head: AuditChainHead) {
        self.log = log
        self.head = head
    }

    func read(_ take: ([AuditRecord]) async throws -> Void) async throws {
        var next: Int64 = 1
        while next <= head.sequence {
            let records = try await log.records(
                of: head.node, in: next...head.sequence, limit: AuditExport.pageSize)
            guard let last = records.last else { return }
            try await take(records)
            // A store that gives less than it was asked for, out of order, must not hold us here for ever.
            guard last.sequence >= next else { throw StorageError.corrupt("audit events out of order") }
            next = last.sequence + 1
        }
    }
}

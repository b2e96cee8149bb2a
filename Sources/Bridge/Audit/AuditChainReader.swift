/// Reads one node's chain from its first event to a head, page by page.
struct AuditChainReader: Sendable {
    private let log: any AuditLog
    private let head: AuditChainHead

    init(_ log: any AuditLog, head: AuditChainHead) {
        self.log = log
        self.head = head
    }

    /// While `take` works on a page the next one is read, and no more: two pages are in memory at a time.
    func read(_ take: ([AuditRecord]) async throws -> Void) async throws {
        var next: Int64 = 1
        var page = try await records(from: next)
        while let last = page.last {
            // A store that gives less than it was asked for, out of order, must not hold us here for ever.
            guard last.sequence >= next else { throw StorageError.corrupt("audit events out of order") }
            let following = last.sequence + 1
            next = following
            async let ahead = records(from: following)
            try await take(page)
            page = try await ahead
        }
    }

    private func records(from first: Int64) async throws -> [AuditRecord] {
        guard first <= head.sequence else { return [] }
        return try await log.records(of: head.node, in: first...head.sequence, limit: AuditExport.pageSize)
    }
}

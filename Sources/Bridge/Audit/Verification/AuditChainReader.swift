/// Reads one node's chain from its first event to a head, page by page.
struct AuditChainReader: Sendable {
    private let log: any AuditLog
    private let head: AuditChainHead

    /// Pages that are read while another is worked on: while one is put together, the database looks for the next.
    private static let pagesAhead = 2

    init(_ log: any AuditLog, head: AuditChainHead) {
        self.log = log
        self.head = head
    }

    /// While `take` works on a page the next two are read, and no more: three pages are in memory at a time.
    func read(_ take: ([AuditEntry]) async throws -> Void) async throws {
        var next: Int64 = 1
        while next <= head.sequence, let following = try await readWhole(from: next, take) { next = following }
    }

    /// Reads full pages without a gap, for as long as they come.
    /// - Returns: where to go on after one that was otherwise; `nil` when there is nothing more.
    private func readWhole(
        from first: Int64, _ take: ([AuditEntry]) async throws -> Void
    ) async throws -> Int64? {
        let size = Int64(AuditExport.pageSize)
        return try await withThrowingTaskGroup(of: (first: Int64, entries: [AuditEntry]).self) { group in
            // What else is under way belongs to no page any more.
            defer { group.cancelAll() }
            var asked = first
            func ask() {
                guard asked <= head.sequence else { return }
                let page = asked
                asked += size
                group.addTask { (page, try await entries(from: page)) }
            }
            for _ in 0...Self.pagesAhead { ask() }
            var arrived: [Int64: [AuditEntry]] = [:]
            var next = first
            while next <= head.sequence {
                while arrived[next] == nil, let page = try await group.next() { arrived[page.first] = page.entries }
                guard let page = arrived.removeValue(forKey: next), let last = page.last else { return nil }
                // A store that gives less than it was asked for, out of order, must not hold us here for ever.
                guard last.sequence >= next else { throw StorageError.corrupt("audit events out of order") }
                try await take(page)
                next += size
                guard last.sequence == next - 1 else { return last.sequence + 1 }
                ask()
            }
            return nil
        }
    }

    private func entries(from first: Int64) async throws -> [AuditEntry] {
        try await log.entries(of: head.node, in: first...head.sequence, limit: AuditExport.pageSize)
    }
}

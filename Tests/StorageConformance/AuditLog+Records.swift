package import Bridge

extension AuditLog {
    /// The records of one node with `sequence` in `range`, oldest first, without what cannot be read.
    package func records(of node: String, in range: ClosedRange<Int64>, limit: Int) async throws -> [AuditRecord] {
        try await entries(of: node, in: range, limit: limit).compactMap(\.value)
    }
}

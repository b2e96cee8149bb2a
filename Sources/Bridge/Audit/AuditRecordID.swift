extension AuditLog {
    /// The record with this id, `<node>-<sequence>`.
    package func record(id: String) async throws -> AuditRecord? {
        guard let place = AuditRecord.place(of: id) else { return nil }
        return try await records(of: place.node, in: place.sequence...place.sequence, limit: 1).first
    }
}

extension AuditRecord {
    /// The node and sequence that an id names.
    package static func place(of id: String) -> (node: String, sequence: Int64)? {
        // A node's name may hold hyphens, a number does not.
        guard let hyphen = id.lastIndex(of: "-"), let sequence = Int64(id[id.index(after: hyphen)...]), sequence > 0
        else { return nil }
        let node = String(id[..<hyphen])
        return node.isEmpty ? nil : (node, sequence)
    }
}

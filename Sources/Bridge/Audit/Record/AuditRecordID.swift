extension AuditLog {
    /// What stands in the place of this id, `<node>-<sequence>`.
    package func entry(id: String) async throws -> AuditEntry? {
        guard let place = AuditRecord.place(of: id) else { return nil }
        return try await entries(of: place.node, in: place.sequence...place.sequence, limit: 1).first
    }

    /// The records of one node with `sequence` in `range`, oldest first, without what cannot be read.
    package func records(of node: String, in range: ClosedRange<Int64>, limit: Int) async throws -> [AuditRecord] {
        try await entries(of: node, in: range, limit: limit).compactMap(\.value)
    }
}

extension AuditRecord {
    /// The node and sequence that an id names.
    package static func place(of id: String) -> (node: String, sequence: Int64)? {
        // A node's name may hold hyphens, a number does not.
        guard let hyphen = id.lastIndex(of: "-"), let sequence = Int64(id[id.index(after: hyphen)...]),
            AuditRecord.sequences.contains(sequence)
        else { return nil }
        let node = String(id[..<hyphen])
        return node.isEmpty ? nil : (node, sequence)
    }
}

package import Bridge

extension DurableStorage: AuditLog {
    package func append(_ events: [AuditEvent]) async throws {
        guard !events.isEmpty else { return }
        try await write(anticipating: []) { transaction in
            for event in events { try transaction.record(event) }
        }
    }

    package func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) async throws -> AuditPage {
        let search = AuditSearch(filter, dialect: dialect)
        let limit = max(1, min(limit, 500))
        return try await read { session in try search.page(before: cursor, limit: limit, in: session) }
    }

    package func records(of node: String, in range: ClosedRange<Int64>, limit: Int) async throws -> [AuditRecord] {
        try await read { session in
            try session.run(
                AuditSQL.records,
                [.text(node), .integer(range.lowerBound), .integer(range.upperBound), .integer(Int64(max(0, limit)))]
            ).map(AuditRecord.init(row:))
        }
    }

    package func chains() async throws -> [AuditChainHead] {
        try await read { session in
            var heads: [AuditChainHead] = []
            var node = try session.run(AuditSQL.firstNode).first?.optionalText(0)
            while let current = node {
                if let head = try session.run(AuditSQL.head, [.text(current)]).first {
                    heads.append(
                        AuditChainHead(node: current, sequence: try head.integer(0), hash: try head.text(1)))
                }
                node = try session.run(AuditSQL.nextNode, [.text(current)]).first?.optionalText(0)
            }
            return heads
        }
    }

    package func checkpoints() async throws -> [AuditCheckpoint] {
        try await read { session in try session.run(AuditSQL.checkpoints).map(AuditCheckpoint.init(row:)) }
    }
}

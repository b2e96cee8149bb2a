package import Bridge

extension DurableStorage: AuditLog {
    package func append(_ events: [AuditEvent]) async throws {
        guard !events.isEmpty else { return }
        try await write(anticipating: []) { transaction in
            for event in events { try transaction.record(event) }
        }
    }

    package func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) async throws -> AuditPage {
        let search = AuditSearch(filter, dialect: dialect, time: time)
        let limit = max(AuditPage.sizes.lowerBound, min(limit, AuditPage.sizes.upperBound))
        let page: @Sendable (any SQLSession) throws -> AuditPage = {
            try search.page(before: cursor, limit: limit, in: $0)
        }
        // What an index finds, such as the events that a user sees of their own, need not queue with the rest.
        return search.key == nil ? try await browse(page) : try await read(page)
    }

    package func entries(of node: String, in range: ClosedRange<Int64>, limit: Int) async throws -> [AuditEntry] {
        try await read { session in
            try session.run(
                AuditSQL.records,
                [.text(node), .integer(range.lowerBound), .integer(range.upperBound), .limit(limit)]
            ).map(AuditEntry.init(row:))
        }
    }

    package func chains() async throws -> [AuditChainHead] {
        try await read { session in
            try Self.nodes(session).compactMap { value in
                guard let node = AuditColumns.node(value) else { return nil }
                return try Self.head(of: node, session)
            }
        }
    }

    package func strays(limit: Int) async throws -> [AuditDamage] {
        try await read { session in
            var found: [AuditDamage] = []
            for node in try Self.nodes(session) where found.count < limit {
                found += try Self.strays(of: node, limit: limit - found.count, session)
            }
            return found
        }
    }

    package func checkpoints() async throws -> [AuditReading<AuditCheckpoint>] {
        try await read { session in try session.run(AuditSQL.checkpoints).map(AuditReading.init(row:)) }
    }

    package func cuts() async throws -> [AuditReading<AuditCut>] {
        try await read { session in try session.run(AuditSQL.cuts).map(AuditReading.init(row:)) }
    }

    package func notes(of node: String, after position: AuditNotePosition, limit: Int) async throws -> [AuditNote] {
        let end = SQLValue.integer(AuditRecord.sequences.upperBound)
        let limit = SQLValue.limit(limit)
        return try await read { session in
            let checkpoints = try session.run(
                AuditSQL.checkpointsAfter, [.text(node), .integer(position.checkpoint), end, limit]
            ).compactMap { AuditReading<AuditCheckpoint>(row: $0).value.map(AuditNote.checkpoint) }
            let cuts = try session.run(AuditSQL.cutsAfter, [.text(node), .integer(position.cut), end, limit])
                .compactMap { AuditReading<AuditCut>(row: $0).value.map(AuditNote.cut) }
            return (checkpoints + cuts).sorted { $0.sequence < $1.sequence }
        }
    }

    /// Places that one statement asks for.
    private static let hashesTogether = 500

    package func hashes(of node: String, at sequences: [Int64]) async throws -> [Int64: String] {
        try await read { try Self.hashes(of: node, at: sequences, $0) }
    }

    static func hashes(
        of node: String, at sequences: [Int64], _ session: any SQLSession
    ) throws -> [Int64: String] {
        var hashes: [Int64: String] = [:]
        for start in stride(from: 0, to: sequences.count, by: hashesTogether) {
            let part = sequences[start..<min(start + hashesTogether, sequences.count)]
            let rows = try session.run(AuditSQL.hashes(count: part.count), [.text(node)] + part.map(SQLValue.integer))
            for row in rows {
                if case (.integer(let sequence), .text(let hash)) = (row.values[0], row.values[1]) {
                    hashes[sequence] = hash
                }
            }
        }
        return hashes
    }

    static func head(of node: String, _ session: any SQLSession) throws -> AuditChainHead? {
        try AuditChainEnd.find(of: node, session.run).map { end in
            var columns = AuditColumns(SQLRow(values: [end.hash]))
            return AuditChainHead(node: node, sequence: end.sequence, hash: columns.hash(0) ?? "")
        }
    }

    /// Every value given as a node, in order, whether it can be one or not.
    static func nodes(_ session: any SQLSession) throws -> [SQLValue] {
        var nodes: [SQLValue] = []
        var node = try session.run(AuditSQL.firstNode).first?.values[0] ?? .null
        while node != .null {
            nodes.append(node)
            node = try session.run(AuditSQL.nextNode, [node]).first?.values[0] ?? .null
        }
        return nodes
    }

    private static func strays(of node: SQLValue, limit: Int, _ session: any SQLSession) throws -> [AuditDamage] {
        let limit = SQLValue.integer(Int64(limit))
        guard let name = AuditColumns.node(node) else {
            return try session.run(AuditSQL.allPlaces, [node, limit]).compactMap(stray)
        }
        let end = try Self.head(of: name, session)?.sequence ?? 0
        let rows =
            try session.run(AuditSQL.before, [node, limit])
            + session.run(AuditSQL.between, [node, .integer(end), .integer(AuditSQL.middle), limit])
        // What is a number here was written after the look at the chain's end.
        return rows.compactMap(stray)
            + (try session.run(AuditSQL.afterMiddle, [node, .integer(max(end, AuditSQL.middle)), limit])).map { row in
                var columns = AuditColumns(row)
                return AuditDamage(.event, node: name, sequence: columns.sequence(1, "sequence"), field: "sequence")
            }
    }

    /// - Returns: `nil` for what can stand in a chain.
    private static func stray(_ row: SQLRow) -> AuditDamage? {
        var columns = AuditColumns(row)
        let node = columns.node(0)
        let sequence = columns.sequence(1, "sequence")
        return columns.unreadable.map { AuditDamage(.event, node: node, sequence: sequence, field: $0) }
    }
}

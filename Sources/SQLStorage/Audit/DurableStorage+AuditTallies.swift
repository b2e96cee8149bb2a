package import Bridge

extension DurableStorage: AuditTallies {
    /// Events at a chain's end that a chart counts itself when they were not counted yet.
    private static let uncountedLimit: Int64 = 20_000

    package func advanceTally(limit: Int) async throws -> [AuditTally] {
        let node = try ownNode()
        let (progress, end, counts) = try await read { session in
            let progress = try Self.progress(of: node, session)
            let head = try session.run(AuditSQL.head, [.text(node)]).first?.integer(0) ?? 0
            let end = min(head, progress + Int64(limit))
            return (progress, end, try Self.count(node, after: progress, through: end, session))
        }
        guard end > progress else { return [] }
        return try await write { transaction in
            try transaction.run(AuditTallySQL.begin, [.text(node)])
            guard
                try transaction.changes(
                    AuditTallySQL.advance, [.text(node), .integer(progress), .integer(end)])
            else { return [] }
            for count in counts {
                try transaction.run(
                    AuditTallySQL.add,
                    [
                        SQLValue(count.at), .text(node), .text(count.type.rawValue), .text(count.outcome.rawValue),
                        .text(count.reason ?? ""), .integer(count.count),
                    ])
            }
            return counts
        }
    }

    package func tallies(from: Timestamp, to: Timestamp) async throws -> [AuditTally] {
        let heads = try await chains()
        return try await read { session in
            var counts = try session.run(AuditTallySQL.select, [SQLValue(from), SQLValue(to)]).map { row in
                try Self.tally(row, at: row.timestamp(0))
            }
            for head in heads {
                let progress = try Self.progress(of: head.node, session)
                let first = max(progress, head.sequence - Self.uncountedLimit)
                counts += try Self.count(head.node, after: first, through: head.sequence, session)
                    .filter { from <= $0.at && $0.at < to }
            }
            return counts
        }
    }

    package func record(_ sample: StateSample) async throws {
        try await write { transaction in
            _ = try transaction.changes(
                AuditTallySQL.sample, [.text(sample.name.rawValue), SQLValue(sample.at), .integer(sample.value)])
        }
    }

    package func samples(_ name: StateSample.Name, from: Timestamp, to: Timestamp) async throws -> [StateSample] {
        try await read { session in
            try session.run(AuditTallySQL.samples, [.text(name.rawValue), SQLValue(from), SQLValue(to)]).map { row in
                StateSample(at: try row.timestamp(0), name: name, value: try row.integer(1))
            }
        }
    }

    private static func progress(of node: String, _ session: any SQLSession) throws -> Int64 {
        try session.run(AuditTallySQL.progress, [.text(node)]).first?.integer(0) ?? 0
    }

    private static func count(
        _ node: String, after: Int64, through: Int64, _ session: any SQLSession
    ) throws -> [AuditTally] {
        guard through > after else { return [] }
        return try session.run(AuditTallySQL.count, [.text(node), .integer(after), .integer(through)]).map { row in
            try tally(row, at: Timestamp(milliseconds: row.integer(0) * 60_000))
        }
    }

    private static func tally(_ row: SQLRow, at: Timestamp) throws -> AuditTally {
        let reason = try row.text(3)
        return AuditTally(
            at: at, type: AuditEventType(rawValue: try row.text(1)), outcome: try row.word(2),
            reason: reason.isEmpty ? nil : reason, count: try row.integer(4))
    }
}

package import Bridge

extension DurableStorage {
    /// Events at a chain's end that a chart counts itself when they were not counted yet.
    private static let uncountedLimit: Int64 = 20_000

    package func advanceTally(limit: Int) async throws -> [AuditTally] {
        let node = try ownNode()
        let (progress, end, counts) = try await read { session in
            let head = try Self.head(of: node, session)?.sequence ?? 0
            guard let progress = try Self.progress(of: node, upTo: head, session) else {
                return (nil as Int64?, head, [AuditTally]())
            }
            guard progress < head else { return (progress, progress, []) }
            let next = try session.run(
                AuditTallySQL.end, [.text(node), .integer(progress), .integer(head), .integer(Int64(limit))])
            guard case .integer(let end)? = next.first?.values[0] else { return (progress, progress, []) }
            return (progress, end, try Self.count(node, after: progress, through: end, session))
        }
        guard let progress else {
            try await writeUpkeep { _ = try $0.run(AuditTallySQL.mend, [.text(node), .integer(end)]) }
            return []
        }
        guard end > progress else { return [] }
        return try await writeUpkeep { transaction in
            try transaction.run(AuditTallySQL.begin, [.text(node)])
            guard
                try transaction.changes(
                    AuditTallySQL.advance, [.text(node), .integer(progress), .integer(end)])
            else { return [] }
            for count in counts {
                try transaction.submit(
                    AuditTallySQL.add,
                    [
                        SQLValue(count.at), .text(node), .text(count.type.rawValue), .text(count.outcome.rawValue),
                        .text(count.reason ?? ""), .integer(count.count),
                    ])
            }
            return counts
        }
    }

    package func tallies(from: Timestamp, to: Timestamp, minutesPerBar: Int64) async throws -> [AuditTally] {
        let heads = try await chains()
        let width = minutesPerBar * 60_000
        let count: @Sendable (any SQLSession) throws -> [AuditTally] = { session in
            let rows = try session.run(AuditTallySQL.select, [SQLValue(from), SQLValue(to), .integer(width)])
            var counts = rows.compactMap { row in row.minute.flatMap { Self.tally(row, at: $0) } }
            let counted = Self.countedPlaces(in: rows)
            for head in heads {
                let progress = Self.place(counted[head.node], upTo: head.sequence) ?? head.sequence
                let first = max(progress, head.sequence - Self.uncountedLimit)
                counts += try Self.count(head.node, after: first, through: head.sequence, session)
                    .filter { from <= $0.at && $0.at < to }.map { $0.inBar(of: width) }
            }
            return counts
        }
        // Alerts go by the single minutes of the last few. They must not wait for what an administrator looks for.
        return try await minutesPerBar == 1 ? read(count) : browse(count)
    }

    package func record(_ sample: StateSample) async throws {
        try await writeUpkeep { transaction in
            _ = try transaction.changes(
                AuditTallySQL.sample, [.text(sample.name.rawValue), SQLValue(sample.at), .integer(sample.value)])
        }
    }

    package func samples(_ name: StateSample.Name, from: Timestamp, to: Timestamp) async throws -> [StateSample] {
        try await read { session in
            try session.run(AuditTallySQL.samples, [.text(name.rawValue), SQLValue(from), SQLValue(to)])
                .compactMap { row in
                    guard let at = row.minute, case .integer(let value) = row.values[1] else { return nil }
                    return StateSample(at: at, name: name, value: value)
                }
        }
    }

    package func purgeTallies(from start: Timestamp, before cutoff: Timestamp) async throws -> Timestamp? {
        let oldest = try await read { session in
            try [AuditTallySQL.oldest, AuditTallySQL.oldestSample].compactMap {
                try session.run($0, [SQLValue(start)]).first?.minute
            }.min()
        }
        guard let oldest, oldest < cutoff else { return nil }
        let end = min(cutoff, oldest + .seconds(3600))
        try await writeUpkeep { transaction in
            for purge in [AuditTallySQL.purge, AuditTallySQL.purgeSamples] {
                _ = try transaction.change(purge, [SQLValue(oldest), SQLValue(end)])
            }
        }
        return end
    }

    /// How far a chain is counted; `nil` for what is not a place of a chain that ends there.
    private static func progress(of node: String, upTo head: Int64, _ session: any SQLSession) throws -> Int64? {
        place(try session.run(AuditTallySQL.progress, [.text(node)]).first?.values[0], upTo: head)
    }

    /// The place that a value says a chain is counted to: none but its beginning where there is no value, and `nil` for
    /// what is not a place of a chain that ends there.
    private static func place(_ value: SQLValue?, upTo head: Int64) -> Int64? {
        guard let value else { return 0 }
        guard case .integer(let place) = value, place >= 0, place <= head else { return nil }
        return place
    }

    /// How far each chain is counted, by the rows without a time.
    private static func countedPlaces(in rows: [SQLRow]) -> [String: SQLValue] {
        rows.reduce(into: [:]) { places, row in
            guard case .null = row.values[0], let node = AuditColumns.node(row.values[1]) else { return }
            places[node] = row.values[4]
        }
    }

    private static func count(
        _ node: String, after: Int64, through: Int64, _ session: any SQLSession
    ) throws -> [AuditTally] {
        guard through > after else { return [] }
        let range: [SQLValue] = [.text(node), .integer(after), .integer(through)]
        let written = try session.run(AuditTallySQL.count, range).compactMap { row in
            row.countedMinute.flatMap { tally(row, at: $0) }
        }
        guard written.contains(where: { $0.type == .auditSuppressed }) else { return written }
        let type = SQLValue.text(AuditEventType.auditSuppressed.rawValue)
        return try session.run(AuditTallySQL.details, range + [type]).reduce(into: written) { counts, row in
            guard let minute = row.countedMinute, case .text(let detail) = row.values[1] else { return }
            counts += AuditTally.suppressed(inDetail: detail, at: minute)
        }
    }

    /// - Returns: `nil` for what cannot be read: a chart does without it.
    private static func tally(_ row: SQLRow, at: Timestamp) -> AuditTally? {
        guard
            case (.text(let type), .text(let word), .text(let reason), .integer(let count)) = (
                row.values[1], row.values[2], row.values[3], row.values[4]
            ), let outcome = AuditEvent.Outcome(rawValue: word)
        else { return nil }
        return AuditTally(
            at: at, type: AuditEventType(rawValue: type), outcome: outcome, reason: reason.isEmpty ? nil : reason,
            count: count)
    }
}

extension AuditTally {
    /// This tally, moved to the start of the bar that it falls into.
    fileprivate func inBar(of width: Int64) -> AuditTally {
        let start = Timestamp(milliseconds: at.milliseconds / width * width)
        return AuditTally(at: start, type: type, outcome: outcome, reason: reason, count: count)
    }
}

extension SQLRow {
    /// The time in the first column, if it is one.
    fileprivate var minute: Timestamp? {
        if case .integer(let milliseconds) = values[0] { Timestamp(milliseconds: milliseconds) } else { nil }
    }

    /// The number of a minute in the first column, as a time, if it is one.
    fileprivate var countedMinute: Timestamp? {
        guard case .integer(let minute) = values[0] else { return nil }
        let (milliseconds, isTooLarge) = minute.multipliedReportingOverflow(by: 60_000)
        return isTooLarge ? nil : Timestamp(milliseconds: milliseconds)
    }
}

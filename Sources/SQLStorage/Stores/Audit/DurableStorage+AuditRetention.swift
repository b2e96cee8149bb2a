package import Bridge
import OAuth2

extension DurableStorage: AuditUpkeep {
    /// Events that one cut takes, where checkpoints allow it: small enough that no write waits long behind it.
    private static let cutSize: Int64 = 5000
    /// Checkpoints that are looked at together.
    private static let pageSize: Int64 = 100
    /// How much longer than it has to an event may stay, so that a quiet chain is cut once an hour and not with every
    /// checkpoint: each cut is a note for ever, and an event that will be cut in its turn.
    private static func patience(_ retention: Duration) -> Duration { min(.seconds(3600), retention / 24) }

    package func purgeAudit(olderThan retention: Duration, at now: Timestamp) async throws -> AuditPurge {
        var refused: [AuditVerificationReport.Problem] = []
        for head in try await chains() {
            let cutoff = now - retention
            guard
                let place = try await place(
                    toCut: head, signedUntil: cutoff, beginningBy: cutoff - Self.patience(retention), at: now)
            else { continue }
            let covered = try await covered(by: place)
            if let problem = try await problem(of: place, covered: covered) {
                refused.append(problem)
                continue
            }
            let removed = try await cut(place, covered: covered, retention: retention, at: now)
            if removed > 0 { return AuditPurge(removed: removed, refused: refused) }
        }
        return AuditPurge(removed: 0, refused: refused)
    }

    package func adoptCuts(olderThan retention: Duration?, at now: Timestamp) async throws -> [AuditCut] {
        var adopted: [AuditCut] = []
        for head in try await chains() {
            guard let cut = try await adoption(of: head, olderThan: retention, at: now) else { continue }
            try await write { transaction in try transaction.record(cut) }
            adopted.append(cut)
        }
        return adopted
    }

    /// Where a chain can be cut.
    private struct Place: Sendable {
        /// The first sequence that there is.
        let first: Int64
        let checkpoint: AuditCheckpoint
    }

    /// The last checkpoint within ``cutSize``, or else the first after it; only of those that are old enough, and whose
    /// signature says so, since anyone may have written the columns.
    /// - Parameter latest: when the chain's first event has to have happened.
    private func place(
        toCut head: AuditChainHead, signedUntil cutoff: Timestamp, beginningBy latest: Timestamp, at now: Timestamp
    ) async throws -> Place? {
        let keys = try auditor().signer.trustedKeys
        return try await read { session in
            let node = SQLValue.text(head.node)
            guard let first = try session.run(AuditSQL.first, [node]).first?.integer(0) else { return nil }
            // What covers it was signed after it: where it is younger, no checkpoint of the chain need be looked at, of
            // which there are half a million in a quiet year. An event from the future says nothing: its node's clock
            // was wrong, and what is after it must not stay for as long as that.
            if case .integer(let at)? = try session.run(AuditSegmentSQL.time, [node, .integer(first)]).first?.values[0],
                case let time = Timestamp(milliseconds: at), time > latest, time <= now
            {
                return nil
            }
            let limit = first + Self.cutSize
            func isGood(_ checkpoint: AuditCheckpoint) -> Bool { checkpoint.problem(trusting: keys) == nil }
            var best: AuditCheckpoint?
            var last = first - 1
            while true {
                // The chain's last event stays in any case: the next one is chained to it.
                let rows = try session.run(
                    AuditSQL.oldCheckpoints,
                    [node, .integer(last), .integer(head.sequence), SQLValue(cutoff), .integer(Self.pageSize)])
                let found = rows.compactMap { AuditReading<AuditCheckpoint>(row: $0).value }
                best = found.last { $0.size <= limit && isGood($0) } ?? best ?? found.first(where: isGood)
                // In a quiet chain each checkpoint covers an event or two, and many pages are within the limit.
                guard rows.count == Self.pageSize, case .integer(let end)? = rows.last?.values[1],
                    best == nil || end <= limit
                else { return best.map { Place(first: first, checkpoint: $0) } }
                last = end
            }
        }
    }

    /// The good checkpoints that a cut leaves without an event, by size.
    private func covered(by place: Place) async throws -> [AuditCheckpoint] {
        let keys = try auditor().signer.trustedKeys
        let checkpoint = place.checkpoint
        return try await read { session in
            try session.run(
                AuditSQL.checkpointsAfter,
                [
                    .text(checkpoint.node), .integer(place.first - 1), .integer(checkpoint.size - 1),
                    .integer(Self.cutSize),
                ]
            ).compactMap { AuditReading<AuditCheckpoint>(row: $0).value }.filter { $0.problem(trusting: keys) == nil }
        }
    }

    /// What is wrong with the part of a chain that a cut would take; `nil` when nothing is.
    /// - Parameter covered: the checkpoints in it.
    private func problem(
        of place: Place, covered: [AuditCheckpoint]
    ) async throws -> AuditVerificationReport.Problem? {
        let checkpoint = place.checkpoint
        let node = checkpoint.node
        let keys = try auditor().signer.trustedKeys
        // A chain that was written again since then may agree with the last one alone.
        var checkpoints = (covered + [checkpoint]).map(AuditReading.intact)
        var cuts: [AuditReading<AuditCut>] = []
        if place.first > 1 {
            let earlier = [SQLValue.text(node), .integer(place.first - 1)]
            (checkpoints, cuts) = try await read { [checkpoints] session in
                (
                    checkpoints + (try session.run(AuditSQL.checkpoint, earlier).map(AuditReading.init(row:))),
                    try session.run(AuditSQL.cut, earlier).map(AuditReading.init(row:))
                )
            }
            // Where this key says that the chain begins, no checkpoint of the key before it has to say so as well.
            if cuts.contains(where: { $0.value.map { $0.problem(trusting: keys) == nil } ?? false }) {
                checkpoints.removeAll { $0.value?.problem(trusting: keys) == .checkpointUnknownKey }
            }
        }
        var verifier = AuditVerifier(
            checkpoints: checkpoints, cuts: cuts, terms: AuditVerificationTerms(trusting: keys))
        var next = place.first
        while next <= checkpoint.size {
            let entries = try await entries(of: node, in: next...checkpoint.size, limit: 1000)
            guard let last = entries.last, last.sequence >= next else { break }
            for entry in entries { verifier.take(entry) }
            next = last.sequence + 1
        }
        return verifier.finish().problems.first
    }

    /// - Returns: how many events were removed; 0 when another was quicker.
    private func cut(
        _ place: Place, covered: [AuditCheckpoint], retention: Duration, at now: Timestamp
    ) async throws -> Int {
        let checkpoint = place.checkpoint
        let cut = try auditor().signer.signCut(
            node: checkpoint.node, through: checkpoint.size, hash: checkpoint.hash, retention: retention,
            isAdopted: false, at: now)
        let count = Int(checkpoint.size - place.first + 1)
        // Those that stay show two histories that were signed, although the events of either are gone.
        let superfluous = zip(covered, covered.dropFirst() + [checkpoint]).compactMap { earlier, later in
            earlier.isSuperfluous(before: later) ? earlier : nil
        }
        return try await writeUpkeep { transaction in
            let removed = try transaction.change(
                AuditRetentionSQL.delete,
                [.text(cut.node), .integer(place.first), .integer(cut.through)])
            guard removed == count else { throw Withdrawn(outcome: 0) }
            let segments = [SQLValue.text(cut.node), .integer(cut.through)]
            try transaction.submit(AuditSegmentSQL.dropPiecesThrough, segments)
            try transaction.submit(AuditSegmentSQL.dropThrough, segments)
            for superfluous in superfluous { try transaction.remove(superfluous) }
            try transaction.keep(checkpoint)
            try transaction.record(cut)
            return removed
        }
    }

    private func adoption(
        of head: AuditChainHead, olderThan retention: Duration?, at now: Timestamp
    ) async throws -> AuditCut? {
        let signer = try auditor().signer
        guard let entry = try await entries(of: head.node, in: 1...head.sequence, limit: 1).first, entry.sequence > 1,
            let record = entry.value, Base64URL.decode(record.previousHash)?.count == 32
        else { return nil }
        let through = record.sequence - 1
        let place = [SQLValue.text(head.node), .integer(through)]
        let stated = try await read { try $0.run(AuditSQL.cut, place).map(AuditReading<AuditCut>.init(row:)) }
        if stated.contains(where: { $0.value.map { $0.problem(trusting: signer.trustedKeys) == nil } ?? false }) {
            return nil
        }
        if let retention {
            guard
                let checkpoint = try await read({ try $0.run(AuditSQL.checkpoint, place) }).first
                    .flatMap({ AuditReading<AuditCheckpoint>(row: $0).value }),
                checkpoint.problem(trusting: signer.trustedKeys) == nil,
                checkpoint.hash.hasSameBytes(as: record.previousHash),
                checkpoint.at <= now - retention, try await isStated(head.node, through: through)
            else { return nil }
        }
        return try signer.signCut(
            node: head.node, through: through, hash: record.previousHash, retention: retention ?? .zero,
            isAdopted: true, at: now)
    }

    /// Whether an event says that a chain was cut there, as it did before cuts were signed.
    private func isStated(_ node: String, through sequence: Int64) async throws -> Bool {
        let detail = AuditCut.detail(node: node, through: sequence)
        return try await read { session in
            try session.run(
                AuditRetentionSQL.statements, [.text(AuditEventType.auditPurged.rawValue), .text(detail)]
            ).contains { AuditEntry(row: $0).value?.isIntact ?? false }
        }
    }
}

/// The statements that cut the audit log.
private enum AuditRetentionSQL {
    static let delete: SQLStatement = """
        DELETE FROM audit_event WHERE node = $1 AND sequence >= $2 AND sequence <= $3
        """

    /// Reads the whole log: asked once, for a log that was cut before cuts were signed, and without an index, which may
    /// lack it.
    static let statements = SQLStatement(
        "SELECT \(AuditSQL.columns) FROM audit_event WHERE type = $1 AND detail = $2 LIMIT 10")
}

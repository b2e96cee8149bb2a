import Bridge
import Synchronization

extension DurableStorage {
    /// Removes rows that ended before `cutoff`, at most `limit` of them.
    /// - Returns: how many went.
    func purge(_ rows: ExpiredRows, before cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge([rows], before: cutoff, limit: limit).reduce(0, +)
    }

    /// Removes rows of several kinds in one transaction, as many as `limit` from each.
    ///
    /// First asks whether anything is due: a transaction that removes nothing would be flushed all the same, for the
    /// lease that it holds.
    /// - Returns: how many of each went.
    func purge(_ kinds: [ExpiredRows], before cutoff: Timestamp, limit: Int) async throws -> [Int] {
        let now = time.now()
        let starts = purgeProgress.withLock { progress in kinds.map { progress.start(in: $0.name, at: now) } }
        let isAnyDue = try await read { session in
            try zip(kinds, starts).contains { kind, start in
                try !session.run(kind.anyDue, [SQLValue(cutoff), SQLValue(start)]).isEmpty
            }
        }
        guard isAnyDue else { return kinds.map { _ in 0 } }
        let removed = try await writeUpkeep { transaction in
            try zip(kinds, starts).map { kind, start -> (count: Int, end: Timestamp?) in
                let rows = try transaction.run(kind.remove, [SQLValue(cutoff), .limit(limit), SQLValue(start)])
                return (rows.count, try rows.map { try $0.timestamp(0) }.max())
            }
        }
        purgeProgress.withLock { progress in
            for (kind, part) in zip(kinds, removed) {
                if let end = part.end { progress.note(end, in: kind.name, at: now) }
            }
        }
        return removed.map { $0.count }
    }
}

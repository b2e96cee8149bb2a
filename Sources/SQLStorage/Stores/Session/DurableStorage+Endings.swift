package import Bridge

extension DurableStorage: EndingStore {
    package func end(_ root: EndingRoot, _ ending: Ending, first: [AuditEvent]) async throws -> Ended {
        try await write { [endings] transaction in
            try transaction.end(root, ending, by: endings, first: first)
        }
    }
}

extension WriteTransaction {
    /// Ends `root` and all that came of it, as part of a verb.
    func end(_ root: EndingRoot, _ ending: Ending, by sql: EndingSQL, first: [AuditEvent] = []) throws -> Ended {
        try EndingWalk.run(ending, of: root, on: SQLEndingGround(transaction: self, sql: sql), first: first)
    }

    /// What becomes of a session whose place in its browser another took, and that was alive until now.
    func settle(_ replaced: ReplacedSession, by new: SessionID, _ sql: EndingSQL) throws {
        try record(replaced.event)
        announce(ended: replaced.id)
        guard replaced.isSameUser else {
            _ = try end(.webSession(replaced.id), replaced.ending, by: sql)
            return
        }
        // Codes first, as at an end.
        _ = try changes(EndingSQL.moveCodes, [SQLValue(replaced.id), SQLValue(new)])
        _ = try changes(EndingSQL.moveAppSessions, [SQLValue(replaced.id), SQLValue(new)])
    }
}

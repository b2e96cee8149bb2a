package import Bridge

/// Second factors, kept with their accounts; required by ``UserStore``.
extension DurableStorage {
    package func replaceSecondFactor(
        _ factor: SecondFactor, recoveryDigests: [String], of subject: Subject, event: AuditEvent
    ) async throws -> Bool {
        try await write { transaction in
            let row: [SQLValue] = [SQLValue(subject), .text(factor.sealedSecret), .integer(factor.lastStep)]
            guard try transaction.changes(AccountSQL.replaceSecondFactor, row) else { return false }
            try transaction.setRecoveryCodes(recoveryDigests, of: subject)
            try transaction.record(event)
            return true
        }
    }

    package func claimStep(_ step: Int64, of subject: Subject) async throws -> Bool {
        try await write { transaction in
            try transaction.changes(AccountSQL.claimStep, [SQLValue(subject), .integer(step)])
        }
    }

    package func claimRecoveryCode(
        digest: String, of subject: Subject, at now: Timestamp, event: @escaping @Sendable (_ left: Int) -> AuditEvent
    ) async throws -> Bool {
        try await write { transaction in
            // Held first, so that two codes at once are counted one after the other.
            guard try transaction.changes(AccountSQL.holdSecondFactor, [SQLValue(subject)]) else { return false }
            let row: [SQLValue] = [SQLValue(subject), .text(digest), SQLValue(now)]
            guard try transaction.changes(AccountSQL.claimRecoveryCode, row) else { return false }
            let left = try transaction.run(AccountSQL.unusedRecoveryCodes, [SQLValue(subject)]).first?.count(0) ?? 0
            try transaction.record(event(left))
            return true
        }
    }

    package func addSecondFactor(
        _ factor: SecondFactor, recoveryDigests: [String], of subject: Subject, in session: SessionID?,
        event: AuditEvent
    ) async throws -> Bool {
        try await write { [heldWebSession] transaction in
            let row: [SQLValue] = [SQLValue(subject), .text(factor.sealedSecret), .integer(factor.lastStep)]
            guard try transaction.changes(AccountSQL.addSecondFactor, row) else { return false }
            guard try transaction.holds(session, by: heldWebSession) else { throw Withdrawn(outcome: false) }
            try transaction.setRecoveryCodes(recoveryDigests, of: subject)
            try transaction.record(event)
            return true
        }
    }

    package func removeSecondFactor(of subject: Subject, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard try transaction.changes(AccountSQL.removeSecondFactor, [SQLValue(subject)]) else { return false }
            try transaction.setRecoveryCodes([], of: subject)
            try transaction.record(event)
            return true
        }
    }

    package func replaceRecoveryCodes(
        _ digests: [String], of subject: Subject, event: AuditEvent
    ) async throws -> Bool {
        try await write { transaction in
            guard try transaction.changes(AccountSQL.holdSecondFactor, [SQLValue(subject)]) else { return false }
            try transaction.setRecoveryCodes(digests, of: subject)
            try transaction.record(event)
            return true
        }
    }

    package func accountsWithSecondFactor(after cursor: Subject?, limit: Int) async throws -> [Account] {
        try await read { session in
            try session.run(AccountSQL.withSecondFactor, [.text(cursor?.rawValue ?? ""), .limit(limit)])
                .map(Account.init(row:))
        }
    }

    package func unusedRecoveryCodes(of subject: Subject) async throws -> Int {
        try await read { session in
            try session.run(AccountSQL.unusedRecoveryCodes, [SQLValue(subject)]).first?.count(0) ?? 0
        }
    }
}

extension WriteTransaction {
    /// The user's recovery codes from now on; none of the old ones counts any more.
    fileprivate func setRecoveryCodes(_ digests: [String], of subject: Subject) throws {
        _ = try changes(AccountSQL.dropRecoveryCodes, [SQLValue(subject)])
        for digest in digests {
            _ = try changes(AccountSQL.addRecoveryCode, [SQLValue(subject), .text(digest)])
        }
    }
}

package import Bridge

extension DurableStorage {
    package func setClaims(
        _ claims: StandardClaims, of subject: Subject, at now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        try await write { transaction in
            let row: [SQLValue] = [SQLValue(subject), SQLValue(claims.text), SQLValue(now)]
            guard try transaction.changes(AccountSQL.setClaims, row) else { return false }
            try transaction.record(event)
            return true
        }
    }
}

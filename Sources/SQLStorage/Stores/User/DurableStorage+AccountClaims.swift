package import Bridge

extension DurableStorage {
    package func setClaims(
        _ claims: StandardClaims, of subject: Subject, at now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        try await write { transaction in
            try transaction.setClaims(claims, of: subject, at: now, event: event)
        }
    }
}

extension RefusalLog {
    /// A browser that was refused what was asked for with its session; ten a minute for one network and reason.
    /// - Parameter session: whose cookies came along, when that is known.
    package func browserRefused(
        _ reason: RefusalReason, in session: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await record(
            AuditEvent(
                at: now, type: .webSessionRefused, outcome: .failure, reason: reason.rawValue,
                subject: session?.subject, clientID: session?.appClientID, targetClientID: session?.clientID,
                sessionID: session?.id, origin: origin),
            within: .network("audit.browser", of: origin, and: reason.rawValue, perMinute: 10))
    }
}

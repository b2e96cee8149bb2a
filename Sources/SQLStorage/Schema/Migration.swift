/// One step of the database's tables; never changed once released, only followed by another.
struct Migration: Sendable {
    /// Its place in the order; a database keeps which of them it has.
    let version: Int64
    let name: String
    let statements: @Sendable (SQLDialect) -> [SQLStatement]

    /// Every step, in order.
    static let all = [
        initial, provider, signIn, deviceSecrets, administration, scale, webhooks, auditForwarding, claims,
        lineage, auditCuts, sharedKeys, clientAssertions, consoleCredentials,
        loginTokenOrder, auditSegments, nodeLease, restorePoint, linkedKeys, crossDevice, deviceAuthorizations,
        webSessionNotices,
        toldByPhones, toldGroups, exceptions, passkeys, lookUps, noticeQueues, upstreamSessions,
        issuingSessions, handOffOrigins, logoutSubscribers, appsAbove, endsOfEverything,
        redemptionRoom, sessionExpiry, adminEpochs,
    ]
}

/// The database's tables are of a version that this program does not know.
struct NewerSchemaError: Error {
    let found: Int64
    let known: Int64
}

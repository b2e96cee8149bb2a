package import Bridge
import OAuth2

extension DurableStorage: DeviceAuthorizationStore {
    package func recordDeviceAuthorization(
        _ authorization: DeviceAuthorization, event: AuditEvent?
    ) async throws -> Bool {
        try await write { transaction in
            guard
                try transaction.changes(
                    DeviceAuthorizationSQL.insert,
                    [
                        .text(authorization.digest), .text(authorization.userCode), SQLValue(authorization.clientID),
                        .text(authorization.scope.description), SQLValue(authorization.network),
                        SQLValue(authorization.createdAt), SQLValue(authorization.expiresAt),
                        .integer(DevicePoll.firstInterval.inMilliseconds),
                    ])
            else { return false }
            if let event { try transaction.record(event) }
            return true
        }
    }

    package func deviceAuthorization(digest: String) async throws -> DeviceAuthorizationState? {
        try await read { session in
            try session.run(DeviceAuthorizationSQL.select, [.text(digest)]).first
                .map(DeviceAuthorizationState.init(row:))
        }
    }

    package func deviceAuthorization(userCode: String) async throws -> DeviceAuthorizationState? {
        try await read { session in
            try session.run(DeviceAuthorizationSQL.selectByUserCode, [.text(userCode)]).first
                .map(DeviceAuthorizationState.init(row:))
        }
    }

    package func approveDevice(
        _ code: IssuedAuthorizationCode, event: AuditEvent
    ) async throws -> DeviceDecisionOutcome {
        // Held, so that an end of the session waits and finds the code, or comes first.
        let carrier = SQLCall(heldWebSession, [SQLValue(code.grant.browserSessionID)])
        let decide = Self.decide(.approved, digest: code.digest, at: code.issuedAt)
        return try await write(anticipating: [carrier, decide]) { transaction in
            guard try transaction.run(carrier).first.map({ try $0.optionalTimestamp(0) == nil }) ?? false else {
                return .sessionEnded
            }
            guard try transaction.changes(decide) else { return .gone }
            try transaction.submit(AuthorizationCodeSQL.insert, code.columns)
            try transaction.record(event)
            return .recorded
        }
    }

    package func denyDevice(
        digest: String, at now: Timestamp, event: AuditEvent
    ) async throws -> DeviceDecisionOutcome {
        let decide = Self.decide(.denied, digest: digest, at: now)
        return try await write(anticipating: [decide]) { transaction in
            guard try transaction.changes(decide) else { return .gone }
            try transaction.record(event)
            return .recorded
        }
    }

    package func purgeDeviceAuthorizations(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge(DeviceAuthorizationSQL.purge, before: cutoff, limit: limit)
    }

    private static func decide(
        _ decision: DeviceAuthorizationState.Decision, digest: String, at now: Timestamp
    ) -> SQLCall {
        SQLCall(DeviceAuthorizationSQL.decide, [.text(digest), .text(decision.rawValue), SQLValue(now)])
    }
}

extension DurableStorage: DevicePolls {
    package func poll(_ digest: String, until expiry: Timestamp, at now: Timestamp) async throws -> DevicePoll {
        try await write { transaction in
            let row = try transaction.run(
                DeviceAuthorizationSQL.poll,
                [
                    .text(digest), SQLValue(now + DevicePoll.tolerance), SQLValue(now),
                    .integer(DevicePoll.step.inMilliseconds),
                ]
            ).first
            // Purged in this very moment: the next request finds nothing at all.
            guard let row else { return DevicePoll(isTooSoon: false, interval: DevicePoll.firstInterval) }
            return DevicePoll(isTooSoon: try row.integer(0) != 0, interval: .milliseconds(try row.integer(1)))
        }
    }
}

extension DeviceAuthorizationState {
    /// Reads a row of ``DeviceAuthorizationSQL/select``.
    fileprivate init(row: SQLRow) throws {
        self.init(
            authorization: DeviceAuthorization(
                digest: try row.text(0), userCode: try row.text(1), clientID: try row.identifier(2),
                scope: try row.scope(3), network: try row.optionalText(4), createdAt: try row.timestamp(5),
                expiresAt: try row.timestamp(6)),
            decision: try row.word(7))
    }
}

/// The statements about devices that wait.
enum DeviceAuthorizationSQL {
    static let insert: SQLStatement = """
        INSERT INTO device_authorization (digest, user_code, client_id, scope, network, created_at, expires_at,
            decision, poll_interval, next_poll_at, polled_too_soon)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, 0, 0)
        ON CONFLICT (user_code) DO NOTHING
        """

    private static let columns = "digest, user_code, client_id, scope, network, created_at, expires_at, decision"

    static let select = SQLStatement("SELECT \(columns) FROM device_authorization WHERE digest = $1")
    static let selectByUserCode = SQLStatement("SELECT \(columns) FROM device_authorization WHERE user_code = $1")

    /// The arbiter: one answer counts.
    static let decide: SQLStatement = """
        UPDATE device_authorization SET decision = $2
        WHERE digest = $1 AND decision = 'pending' AND expires_at > $3
        """

    /// One step: whether it came too soon, and from when on the next may come. `$2` is the instant with what a request
    /// may be early.
    static let poll: SQLStatement = """
        UPDATE device_authorization SET
            polled_too_soon = CASE WHEN $2 < next_poll_at THEN 1 ELSE 0 END,
            poll_interval = poll_interval + CASE WHEN $2 < next_poll_at THEN $4 ELSE 0 END,
            next_poll_at = $3 + poll_interval + CASE WHEN $2 < next_poll_at THEN $4 ELSE 0 END
        WHERE digest = $1 RETURNING polled_too_soon, poll_interval
        """

    static let purge = ExpiredRows(of: "device_authorization", by: "digest")
}

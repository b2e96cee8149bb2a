package import Bridge

extension DurableStorage: SessionStore {
    package func end(_ root: EndingRoot, _ ending: Ending, first: [AuditEvent]) async throws -> Ended {
        // What goes ahead of an end is the second use that led to it.
        try await write(isOfOneUse: !first.isEmpty) { [endings] transaction in
            try transaction.end(root, ending, by: endings, first: first)
        }
    }
}

extension WriteTransaction {
    /// Ends `root` and everything that descends from it, as part of a verb.
    func end(_ root: EndingRoot, _ ending: Ending, by sql: EndingSQL, first: [AuditEvent] = []) throws -> Ended {
        try EndingWalk.run(ending, of: root, on: SQLEndingGround(transaction: self, sql: sql), first: first)
    }

    /// As ``EndingGround/deleteCodes(below:takingInherited:)`` says. They travel with what asks for the sessions below,
    /// and have run by then: at READ COMMITTED that sees what a redemption committed that they waited for.
    func deleteCodes(below ids: [SessionID], takingInherited takesInherited: Bool, by sql: EndingSQL) throws {
        for list in try SQLValue.lists(of: ids) {
            let both = [list, .integer(takesInherited ? 1 : 0)]
            try submit(sql.deleteCodesIn, both)
            try submit(sql.deleteMovedCodes, [list])
            try submit(sql.deleteCodesBelow, both)
        }
    }

    /// What happens to a session whose place in its browser another took. One that had ended before may have been left
    /// something by the session before it that goes on (``EndingWalk``).
    ///
    /// What goes on is only submitted: no statement that a write names ahead (ADR-0011) may read the columns that
    /// change here, `browser_session_id`, `granted_in`, `handed_from` and `parent_id`.
    ///
    /// - Parameter wasAlive: whether it ended by this.
    func settle(_ replaced: ReplacedSession, wasAlive: Bool, by new: SessionID, _ sql: EndingSQL) throws {
        if wasAlive {
            try record(replaced.event)
            announce(ended: replaced.id)
        }
        guard replaced.isSameUser else {
            var ending = replaced.ending
            ending.rootHadEnded = !wasAlive
            _ = try end(.webSession(replaced.id), ending, by: sql)
            return
        }
        let places = [SQLValue(replaced.id), SQLValue(new)]
        // The same sign-in, made stronger: its descendants stay its descendants.
        for origin in replaced.isRaised ? EndingSQL.renamedOrigins : [] { try submit(origin, places) }
        // Codes first, as at an end.
        try submit(EndingSQL.moveCodes, places)
        try submit(wasAlive ? EndingSQL.moveAppSessions : EndingSQL.moveLeftAppSessions, places)
        try submit(EndingSQL.moveHandOffs, places)
    }
}

/// The statements by which sessions end.
///
/// A session's row says in which transaction it ended, so that nodes read ends in the order of commits (contract
/// §16.11).
///
/// What is found by a key or by its user is asked when it ended or expires as `+ended_at` and `+expires_at`: where few
/// sessions had ended, or few lived, when PostgreSQL last counted, it would else read all that have or do since, by
/// their indexes.
struct EndingSQL: Sendable {
    /// Here `$1` is a list of ids, as wherever the plural says so.
    let endAppSessions: SQLStatement
    let endWebSessions: SQLStatement
    /// As ``endWebSessions``, of one whose row has been read already: for busy paths.
    let replaceWebSession: SQLStatement
    /// The living sessions that some opened or that were granted in them, those included that went on under another
    /// one, and where $2 is 1 also what they took over; the last kinds were granted in a browser's session that one of
    /// them opened or handed off, and whose place another took since.
    let below: SQLStatement
    /// The codes that were issued in sessions, where $2 is 1 also those that they took over.
    let deleteCodesIn: SQLStatement
    /// Those that went on elsewhere when another took their place.
    let deleteMovedCodes: SQLStatement
    /// Those of sessions that they opened and whose place another took.
    let deleteCodesBelow: SQLStatement
    let notices: EndNoticeSQL
    /// The ends since a mark, each beside what the next reading begins with: the run of the database, and the lowest
    /// number that a transaction under way may have; a row without an end where there is none. A dump that was loaded
    /// into another cluster has numbers that this one has not come to.
    let endedSince: SQLStatement

    init(_ dialect: SQLDialect) {
        func isListed(_ column: String) -> String { dialect.isAmong(column, "$1") }
        endAppSessions = SQLStatement(
            """
            UPDATE app_session SET ended_at = $2 WHERE \(isListed("id")) AND ended_at IS NULL AND +expires_at > $2
            RETURNING \(AppSessionSQL.columns)
            """)
        // "Alive" leaves the idle end out: last_seen_at may lag behind what a node knows, and a session that is ended
        // once too often is harmless, one that is left alive is not.
        func end(_ which: String) -> String {
            """
            UPDATE web_session SET ended_at = $2, ended_in = \(dialect.transactionNumber)
            WHERE \(which) AND +ended_at IS NULL AND +expires_at > $2
            """
        }
        endWebSessions = SQLStatement("\(end(isListed("id"))) RETURNING \(WebSessionSQL.columns)")
        replaceWebSession = SQLStatement(end("id = $1"))
        below = Self.below(isListed)
        deleteCodesIn = SQLStatement(
            """
            DELETE FROM authorization_code
            WHERE \(isListed("browser_session_id")) AND (granted_in IS NULL OR $2 = 1) AND redeemed_at IS NULL
            """)
        deleteMovedCodes = SQLStatement(
            "DELETE FROM authorization_code WHERE \(isListed("granted_in")) AND redeemed_at IS NULL")
        deleteCodesBelow = SQLStatement(
            """
            DELETE FROM authorization_code WHERE redeemed_at IS NULL AND granted_in IN (
                SELECT w.id FROM web_session w
                    WHERE \(isListed("w.parent_id")) AND +w.ended_at IS NOT NULL AND \(Self.isItsOwn)
                UNION SELECT w.id FROM web_session w
                    WHERE \(isListed("w.handed_from")) AND +w.ended_at IS NOT NULL)
            """)
        notices = EndNoticeSQL(dialect)
        endedSince = SQLStatement(
            """
            SELECT \(dialect.databaseRun), \(dialect.lowestOpenNumber), w.id FROM (SELECT 1 AS one) AS moment
            LEFT JOIN web_session w ON w.ended_in >= $1 AND w.ended_in < \(dialect.nextNumber) ORDER BY w.ended_in
            """)
    }

    private static func below(_ isListed: (_ column: String) -> String) -> SQLStatement {
        SQLStatement(
            """
            SELECT 'app', id FROM app_session WHERE \(isListed("parent_id")) AND ended_at IS NULL
            UNION SELECT 'web', w.id FROM web_session w
                WHERE \(isListed("w.parent_id")) AND +w.ended_at IS NULL AND \(isItsOwn)
            UNION SELECT 'web', id FROM web_session WHERE \(isListed("handed_from")) AND +ended_at IS NULL
            UNION SELECT 'app', id FROM app_session WHERE \(isListed("browser_session_id")) AND ended_at IS NULL
                AND (granted_in IS NULL OR $2 = 1)
            UNION SELECT 'app', id FROM app_session WHERE \(isListed("granted_in")) AND ended_at IS NULL
            UNION SELECT 'app', a.id FROM app_session a JOIN web_session w ON w.id = a.granted_in
                WHERE \(isListed("w.parent_id")) AND +w.ended_at IS NOT NULL AND a.ended_at IS NULL AND \(isItsOwn)
            UNION SELECT 'app', a.id FROM app_session a JOIN web_session w ON w.id = a.granted_in
                WHERE \(isListed("w.handed_from")) AND +w.ended_at IS NOT NULL AND a.ended_at IS NULL
            ORDER BY 1, 2
            """)
    }

    /// What a browser's session holds now, whichever session it was granted in, or its browser went on from.
    static let heldBy: SQLStatement = """
        SELECT 'app', id FROM app_session WHERE browser_session_id = $1 AND ended_at IS NULL
        UNION SELECT 'web', id FROM web_session WHERE parent_id = $1 AND opening = 'hand_off' AND ended_at IS NULL
        ORDER BY 1, 2
        """

    /// Whether a session `w` below another counts where $2 is 0: only a sign-in hands on to other domains (contract
    /// §16.4), so any other session took such a one over.
    private static let isItsOwn = """
        (w.opening <> 'hand_off' OR $2 = 1
            OR EXISTS (SELECT 1 FROM web_session p WHERE p.id = w.parent_id AND p.opening = 'authorize'))
        """

    static let grantsIn = SQLStatement(
        """
        SELECT \(AppSessionSQL.columns) FROM app_session
        WHERE (browser_session_id = $1 OR granted_in = $1) AND \(AppSessionSQL.isAlive(at: "$2")) ORDER BY id
        """)

    /// The unredeemed codes of a user, in whichever session that lives.
    static let deleteCodesOf: SQLStatement = """
        DELETE FROM authorization_code WHERE redeemed_at IS NULL AND browser_session_id IN (
            SELECT id FROM web_session WHERE subject = $1 AND +ended_at IS NULL AND +expires_at > $2)
        """

    static let everythingOf: SQLStatement = """
        SELECT 'app', id FROM app_session WHERE subject = $1 AND ended_at IS NULL AND +expires_at > $2
        UNION ALL SELECT 'device', id FROM device_secret
            WHERE subject = $1 AND revoked_at IS NULL AND +expires_at > $2
        UNION ALL SELECT 'web', id FROM web_session WHERE subject = $1 AND +ended_at IS NULL AND +expires_at > $2
        ORDER BY 1 DESC, 2
        """

    /// What hangs under a session of ours came by a bearer of ours.
    static let openedByApp: SQLStatement = """
        SELECT 'web', id FROM web_session
        WHERE subject = $1 AND app_client_id = $2 AND opening = 'login_token' AND +ended_at IS NULL
            AND +expires_at > $3 AND (CAST($4 AS TEXT) IS NULL OR parent_id = $4)
            AND NOT EXISTS (SELECT a.id FROM app_session a WHERE a.id = web_session.parent_id)
        ORDER BY id
        """

    /// Grows with every end, whatever the clocks of two nodes say: tokens, and other proofs, remember which came
    /// before.
    static let voidLoginTokens = SQLStatement(
        "UPDATE app_user SET login_tokens_void_until = \(nextEnd(at: "$2")) WHERE subject = $1")

    /// As ``voidLoginTokens``, where not everything of the user ends: since when that has ended stays as it was.
    static let voidLoginTokensAlone = SQLStatement(
        """
        UPDATE app_user SET login_tokens_void_until = \(nextEnd(at: "$2")), app_ended_at = \(nextEnd(at: "$2")),
            everything_ended_at = \(AccountSQL.everythingEndedAt)
        WHERE subject = $1
        """)

    /// What a user's next end is written as.
    /// - Parameter now: the argument with the time.
    static func nextEnd(at now: String) -> String {
        "CASE WHEN login_tokens_void_until >= \(now) THEN login_tokens_void_until + 1 ELSE \(now) END"
    }

    /// How many login tokens of a user ``voidLoginTokens`` will take effect on: those that ``LoginTokenSQL/standing``
    /// finds good, and that did not end with their session. Holds the user, so that of two ends at once one counts
    /// them.
    static let pendingLoginTokens: SQLStatement = """
        UPDATE app_user SET issuer = issuer WHERE subject = $1
        RETURNING (SELECT count(*) FROM login_token_use t
            WHERE t.subject = $1 AND t.state = 'pending' AND t.expires_at > $2
                AND COALESCE(t.issued_after_end, 0) >= COALESCE(app_user.login_tokens_void_until, 0)
                AND NOT EXISTS (
                    SELECT 1 FROM app_session s WHERE s.id = t.issuing_session_id AND s.ended_at IS NOT NULL))
        """

    /// What was granted in one browser's session goes on under the one that took its place; where it was granted stays
    /// known.
    static let moveCodes: SQLStatement = """
        UPDATE authorization_code SET browser_session_id = $2, granted_in = COALESCE(granted_in, browser_session_id)
        WHERE browser_session_id = $1 AND redeemed_at IS NULL
        """
    static let moveAppSessions: SQLStatement = """
        UPDATE app_session SET browser_session_id = $2, granted_in = COALESCE(granted_in, browser_session_id)
        WHERE browser_session_id = $1 AND ended_at IS NULL
        """

    /// As ``moveAppSessions``, from a session that had ended before: what outlives its browser (``AppSession``) stays
    /// where its client was told of that end, or each of the next would tell it again.
    static let moveLeftAppSessions: SQLStatement = """
        UPDATE app_session SET browser_session_id = $2, granted_in = COALESCE(granted_in, browser_session_id)
        WHERE browser_session_id = $1 AND ended_at IS NULL
            AND NOT (opening = 'authorize' AND ' ' || scope || ' ' LIKE '% offline_access %')
        """
}

extension EndingSQL {
    /// Where a browser went on to from one session ends with the one that took its place, and with that one itself.
    fileprivate static let moveHandOffs: SQLStatement = """
        UPDATE web_session SET parent_id = $2 WHERE parent_id = $1 AND opening = 'hand_off' AND id <> $2
        """

    /// Where something was granted, or a browser went on from, when that session has another id now. Codes by two
    /// statements: the indexes of unredeemed ones serve no `OR` on SQLite.
    static let renamedOrigins: [SQLStatement] = [
        "UPDATE authorization_code SET granted_in = $2 WHERE granted_in = $1 AND redeemed_at IS NULL",
        """
        UPDATE authorization_code SET granted_in = $2
        WHERE granted_in IS NULL AND browser_session_id = $1 AND redeemed_at IS NULL
        """,
        """
        UPDATE app_session SET granted_in = $2
        WHERE (granted_in = $1 OR (granted_in IS NULL AND browser_session_id = $1)) AND ended_at IS NULL
        """,
        "UPDATE web_session SET handed_from = $2 WHERE handed_from = $1",
    ]
}

/// ``EndingWalk`` on the tables, inside one transaction.
struct SQLEndingGround: EndingGround {
    let transaction: WriteTransaction
    let sql: EndingSQL

    func end(appSessions ids: [SessionID], at now: Timestamp) throws -> [AppSession] {
        let ended: [AppSession] = try SQLValue.lists(of: ids).flatMap { list in
            try transaction.run(sql.endAppSessions, [list, SQLValue(now)]).map { try AppSession(row: $0) }
        }
        for session in ended { transaction.announce(ended: session.id) }
        return ended
    }

    func end(webSessions ids: [SessionID], at now: Timestamp) throws -> [WebSession] {
        let ended: [WebSession] = try SQLValue.lists(of: ids).flatMap { list in
            try transaction.run(sql.endWebSessions, [list, SQLValue(now)]).map(WebSession.init(row:))
        }
        for session in ended { transaction.announce(ended: session.id) }
        return ended
    }

    func revoke(device id: DeviceSecretID, at now: Timestamp, reason: String) throws -> DeviceSecret? {
        guard try transaction.changes(DeviceSecretSQL.revoke, [SQLValue(id), SQLValue(now), .text(reason)]) else {
            return nil
        }
        return try transaction.run(DeviceSecretSQL.select, [SQLValue(id)]).first.map(DeviceSecret.init(row:))
    }

    func deleteCodes(below ids: [SessionID], takingInherited takesInherited: Bool) throws {
        try transaction.deleteCodes(below: ids, takingInherited: takesInherited, by: sql)
    }

    func sessions(below ids: [SessionID], takingInherited takesInherited: Bool) throws -> [EndingRoot] {
        try SQLValue.lists(of: ids).flatMap { list in
            try transaction.run(sql.below, [list, .integer(takesInherited ? 1 : 0)]).map(EndingRoot.init(row:))
        }
    }

    func deleteCodes(heldBy id: SessionID) throws {
        for list in try SQLValue.lists(of: [id]) { try transaction.submit(sql.deleteCodesIn, [list, .integer(1)]) }
    }

    func deleteCodes(of subject: Subject, at now: Timestamp) throws {
        _ = try transaction.change(EndingSQL.deleteCodesOf, [SQLValue(subject), SQLValue(now)])
    }

    func sessions(heldBy id: SessionID) throws -> [EndingRoot] {
        try transaction.run(EndingSQL.heldBy, [SQLValue(id)]).map(EndingRoot.init(row:))
    }

    func grants(in id: SessionID, at now: Timestamp) throws -> [AppSession] {
        try transaction.run(EndingSQL.grantsIn, [SQLValue(id), SQLValue(now)]).map { try AppSession(row: $0) }
    }

    func takeBackSecrets(givenBelow id: SessionID, at now: Timestamp) throws -> [DeviceSecretID] {
        // The user's row first, as in hanging a session below a device.
        _ = try transaction.changes(DeviceSecretSQL.holdUserOf, [SQLValue(id)])
        var firstOnes: [DeviceSecretID] = []
        for row in try transaction.run(DeviceSecretSQL.givenBelow, [SQLValue(id), SQLValue(now)]) {
            let (device, session) = (row.values[0], row.values[1])
            // Held, so that no rotation adds a successor meanwhile.
            guard try transaction.changes(DeviceSecretSQL.holdLive, [device, SQLValue(now)]) else { continue }
            _ = try transaction.changes(DeviceSecretSQL.takeBack, [device, session])
            if try row.integer(2) == 1 { firstOnes.append(try row.identifier(0)) }
        }
        return firstOnes
    }

    func appSessions(of device: DeviceSecretID) throws -> [SessionID] {
        try transaction.run(AppSessionSQL.idsUnderDeviceSecret, [SQLValue(device)]).map { try $0.identifier(0) }
    }

    func everything(of subject: Subject, at now: Timestamp) throws -> [EndingRoot] {
        try transaction.run(EndingSQL.everythingOf, [SQLValue(subject), SQLValue(now)]).map(EndingRoot.init(row:))
    }

    func opened(
        by app: ClientID, of subject: Subject, in session: SessionID?, at now: Timestamp
    ) throws -> [EndingRoot] {
        try transaction.run(
            EndingSQL.openedByApp, [SQLValue(subject), SQLValue(app), SQLValue(now), SQLValue(session?.rawValue)]
        ).map(EndingRoot.init(row:))
    }

    func grants(to client: ClientID, of subject: Subject, at now: Timestamp) throws -> [EndingRoot] {
        let places = [SQLValue(subject), SQLValue(client), SQLValue(now)]
        _ = try transaction.change(ConsentSQL.deleteCodes, places)
        return try transaction.run(ConsentSQL.appSessions, places).map { .appSession(try $0.identifier(0)) }
    }

    func revokeLoginTokens(
        of app: ClientID, for subject: Subject, in session: SessionID?, at now: Timestamp
    ) throws -> Int {
        try transaction.change(
            LoginTokenSQL.revokeOfApp,
            [SQLValue(subject), SQLValue(app), SQLValue(now), SQLValue(session?.rawValue)])
    }

    func voidLoginTokens(of subject: Subject, isAlone: Bool, at now: Timestamp) throws -> Int {
        let held = try transaction.run(EndingSQL.pendingLoginTokens, [SQLValue(subject), SQLValue(now)]).first
        let void = isAlone ? EndingSQL.voidLoginTokensAlone : EndingSQL.voidLoginTokens
        _ = try transaction.changes(void, [SQLValue(subject), SQLValue(now)])
        return try held?.count(0) ?? 0
    }

    func endConsole(of subject: Subject, _ ending: Ending) throws {
        try transaction.endAdminSessions(
            of: subject,
            AuditEvent(at: ending.at, type: .adminSignedOut, outcome: .success, reason: ending.reason.text))
    }

    func record(_ events: [AuditEvent]) throws { try transaction.record(events) }

    func tellClient(leaving session: SessionID, at now: Timestamp) throws {
        try transaction.queueLogoutNotices(leaving: [session], at: now, by: sql.notices)
    }

    func tellClient(of device: DeviceSecretID, by event: AuditEvent) throws {
        try transaction.queueWebhook(ended: device, by: event, sql.notices)
    }
}

extension EndingRoot {
    /// Reads a kind and an id.
    fileprivate init(row: SQLRow) throws {
        switch try row.text(0) {
        case "app": self = .appSession(try row.identifier(1))
        case "web": self = .webSession(try row.identifier(1))
        case "device": self = .device(try row.identifier(1))
        default: throw StorageError.corrupt("what is to end is of no known kind")
        }
    }
}

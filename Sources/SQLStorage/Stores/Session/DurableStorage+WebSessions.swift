package import Bridge

extension DurableStorage {
    package func session(secretDigest: String) async throws -> WebSession? {
        try await look { session in
            try session.run(WebSessionSQL.selectBySecret, [.text(secretDigest)]).first.map(WebSession.init(row:))
        }
    }

    package func session(id: SessionID) async throws -> WebSession? {
        try await look { session in
            try session.run(WebSessionSQL.selectByID, [SQLValue(id)]).first.map(WebSession.init(row:))
        }
    }

    package func open(
        _ opened: WebSession, replacing replaced: ReplacedSession?, provenBy basis: SignInBasis?,
        events: [AuditEvent], ofAdministrator administrator: AuditEvent?
    ) async throws -> Bool {
        let password: SQLCall? =
            if case .password = basis { SQLCall(heldPassword, [SQLValue(opened.subject)]) } else { nil }
        let key = basis?.keyUse(opening: opened)
        let upstream: SQLCall? =
            if case .upstream(let origin, _) = basis { UpstreamSessionSQL.insert(origin, opening: opened) } else { nil }
        let standing = SQLCall(heldStanding, [SQLValue(opened.subject)])
        let parent = opened.parentID.map { SQLCall(heldAppSession, [SQLValue($0)]) }
        let end = replaced.map {
            SQLCall(endings.replaceWebSession, [SQLValue($0.id), SQLValue(opened.createdAt)])
        }
        let insert = SQLCall(WebSessionSQL.insert, opened.newRow(by: nil))
        let role = administrator.map { _ in SQLCall(AccountSQL.administrator, [SQLValue(opened.subject)]) }
        let passkey: PasskeyUse? = if case .passkey(let use) = basis { use } else { nil }
        // A raised session is refused by the results of the statements before it, and so is a passkey.
        let course =
            replaced?.isRaised == true || passkey != nil
            ? nil : [password, standing, key, parent, end, insert, upstream, role].compactMap(\.self)
        return try await write(anticipating: course) { [endings] transaction in
            // Held for the reason that redeem has: a change of the password, and a disabling, must see this session or
            // come first. In this order, as they hold the two.
            if let password {
                guard let row = try transaction.run(password).first, try row.timestamp(0) == basis?.passwordSetAt else {
                    return false
                }
            }
            if try transaction.refuses(basis, by: standing) { return false }
            // Unlinking the key holds its row as well, and ends this session or comes first.
            if let key, try !transaction.changes(key) { return false }
            // Nothing of a use that does not count stays, here and in what follows: its challenge is not used up.
            if let passkey, try !transaction.use(passkey, by: opened.subject, at: opened.createdAt) {
                throw Withdrawn(outcome: false)
            }
            // What hangs under an app's session must not outlive it (contract §16.6).
            if let parent, let row = try transaction.run(parent).first, try row.optionalTimestamp(0) != nil {
                throw Withdrawn(outcome: false)
            }
            var hasReplaced = false
            if let replaced, let end {
                hasReplaced = try transaction.changes(end)
                if !hasReplaced, replaced.isRaised { throw Withdrawn(outcome: false) }
            }
            guard try transaction.changes(insert) else {
                throw StorageError.corrupt("a new session's id is taken")
            }
            if let upstream { _ = try transaction.changes(upstream) }
            let administers = try role.map { try !transaction.run($0).isEmpty } ?? false
            if let replaced {
                try transaction.settle(replaced, wasAlive: hasReplaced, by: opened.id, endings)
            }
            // Made stronger, or after a new password, it still results from the sign-in there.
            if let replaced, replaced.isSameSignIn {
                _ = try transaction.changes(UpstreamSessionSQL.move, [SQLValue(replaced.id), SQLValue(opened.id)])
            }
            for event in events { try transaction.record(event) }
            if administers, let administrator { try transaction.record(administrator) }
            return true
        }
    }

    package func touch(_ id: SessionID, at now: Timestamp) async throws {
        try await write(anticipating: []) { transaction in
            try transaction.submit(WebSessionSQL.touch, [SQLValue(id), SQLValue(now)])
        }
    }

    package func sessionsEnded(since earlier: EndMark?) async throws -> EndNews {
        try await look { [endings] session in
            // One statement, so that both are of one moment: what is not over at the mark is found from there.
            let rows = try session.run(endings.endedSince, [.integer(earlier?.number ?? .max)])
            guard let row = rows.first else {
                throw StorageError.corrupt("the database does not count its transactions")
            }
            let mark = EndMark(run: try row.text(0), number: try row.integer(1))
            guard let earlier, earlier.run == mark.run, earlier.number <= mark.number else {
                return EndNews(ended: [], mark: mark, hasGap: true)
            }
            let ended: [SessionID] = try rows.compactMap { try $0.optionalIdentifier(2) }
            return EndNews(ended: ended, mark: mark, hasGap: false)
        }
    }

    package func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        let kinds = [SessionRefreshSQL.purge, UpstreamSessionSQL.purge] + WebSessionSQL.purges
        return try await purge(kinds, before: cutoff, limit: limit).max() ?? 0
    }
}

extension WriteTransaction {
    /// Whether a user is disabled, or all that could sign them in has ended since they showed what is to open a
    /// session.
    /// - Parameter standing: ``DurableStorage/heldStanding`` of the user.
    fileprivate func refuses(_ basis: SignInBasis?, by standing: SQLCall) throws -> Bool {
        // Of nobody who is not there can be said that nothing has ended.
        guard let row = try run(standing).first else { return basis?.lastEnd != nil }
        if try row.optionalTimestamp(0) != nil { return true }
        guard let end = basis?.lastEnd else { return false }
        return try row.timestamp(1) != end
    }
}

extension SignInBasis {
    fileprivate var passwordSetAt: Timestamp? { if case .password(let setAt, _) = self { setAt } else { nil } }

    /// Notes that a phone's key opens the session, and holds the key against unlinking.
    fileprivate func keyUse(opening session: WebSession) -> SQLCall? {
        guard case .key(let thumbprint, _) = self else { return nil }
        return SQLCall(LinkedKeySQL.use, [.text(thumbprint), SQLValue(session.subject), SQLValue(session.createdAt)])
    }
}

extension DurableStorage {
    package func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [WebSession] {
        try await read { session in
            let limit = SQLValue.limit(limit)
            let rows =
                if let cursor {
                    try session.run(WebSessionSQL.listOfBefore, [SQLValue(subject), limit, SQLValue(cursor)])
                } else {
                    try session.run(WebSessionSQL.listOf, [SQLValue(subject), limit])
                }
            return try rows.map(WebSession.init(row:))
        }
    }

    package func sessions(of subject: Subject, aliveAt now: Timestamp, limit: Int) async throws -> [WebSession] {
        try await read { session in
            try session.run(
                WebSessionSQL.aliveOf, [SQLValue(subject), SQLValue(now), .limit(limit)]
            ).map(WebSession.init(row:))
        }
    }

    package func countLiveSessions(at now: Timestamp) async throws -> Int64 {
        try await browse { session in
            try session.run(WebSessionSQL.countLive, [SQLValue(now)]).first?.integer(0) ?? 0
        }
    }
}

import Bridge

extension WriteTransaction {
    /// Whether the user may have a session opened now; the answer holds until the commit.
    /// - Parameter held: ``DurableStorage/heldStanding``.
    func isActive(_ subject: Subject, by held: SQLStatement) throws -> Bool {
        try run(held, [SQLValue(subject)]).first?.optionalTimestamp(0) == nil
    }

    func insert(_ session: AppSession, refreshToken: RefreshTokenRecord?) throws {
        try submit(AppSessionSQL.insert, session.columns)
        if let refreshToken { try submit(RefreshTokenSQL.insert, refreshToken.columns) }
    }

    /// Ends sessions with the app and web sessions under them, and tells who wants to know.
    /// - Parameters:
    ///   - first: recorded ahead, when there is anything to end.
    ///   - template: the event for each; type, client, subject and session are filled in.
    /// - Returns: every session that this ended.
    func endAppSessions(
        _ ids: [SessionID], at now: Timestamp, first: [AuditEvent] = [], ended template: AuditEvent
    ) throws -> [SessionID] {
        var first = first
        var waiting = ids
        var ended: [SessionID] = []
        while let id = waiting.popLast() {
            guard try changes(AppSessionSQL.end, [SQLValue(id), SQLValue(now)]),
                let session = try run(AppSessionSQL.select, [SQLValue(id)]).first.map({ try AppSession(row: $0) })
            else { continue }
            for event in first { try record(event) }
            first = []
            ended.append(id)
            announce(ended: id)
            try record(template.ending(session))
            if session.wantsLogoutNotice { try insertLogoutNotice(for: session, at: now) }
            ended += try endWebSessions(under: session, at: now, ended: template)
            waiting += try run(AppSessionSQL.idsUnderParent, [SQLValue(id)]).map { try $0.identifier(0) }
        }
        return ended
    }

    /// Ends everything of a user: app sessions, web sessions and the console's (contract §7, §16.9).
    /// - Parameter template: the event for each; type, client and session are filled in.
    func endAll(of subject: Subject, at now: Timestamp, ended template: AuditEvent) throws -> [SessionID] {
        let apps: [SessionID] = try run(AppSessionSQL.idsOfSubject, [SQLValue(subject), SQLValue(now)])
            .map { try $0.identifier(0) }
        var ended = try endAppSessions(apps, at: now, ended: template)
        for row in try run(WebSessionSQL.endAllOf, [SQLValue(subject), SQLValue(now)]) {
            let id: SessionID = try row.identifier(0)
            var event = template
            event.type = .webSessionEnded
            event.sessionID = id
            try record(event)
            announce(ended: id)
            ended.append(id)
        }
        try revokeDevices(of: subject, at: now, template)
        try endAdminSessions(of: subject, template)
        return ended
    }

    private func endWebSessions(
        under session: AppSession, at now: Timestamp, ended template: AuditEvent
    ) throws -> [SessionID] {
        try run(WebSessionSQL.endUnder, [SQLValue(session.id), SQLValue(now)]).map { row in
            let id: SessionID = try row.identifier(0)
            var event = template.ending(session)
            event.type = .webSessionEnded
            event.targetClientID = try row.identifier(1)
            event.sessionID = id
            try record(event)
            announce(ended: id)
            return id
        }
    }

    /// Queues word of a session's end for its client.
    func insertLogoutNotice(for session: AppSession, at now: Timestamp) throws {
        // One end, one notice: the session's id will do for the notice's.
        try submit(
            LogoutNoticeSQL.insert,
            [
                SQLValue(session.id), SQLValue(session.clientID), SQLValue(session.subject), SQLValue(session.id),
                SQLValue(now),
            ])
    }
}

extension AuditEvent {
    fileprivate func ending(_ session: AppSession) -> AuditEvent {
        var event = self
        event.type = .appSessionEnded
        event.subject = session.subject
        event.clientID = session.clientID
        event.sessionID = session.id
        return event
    }
}

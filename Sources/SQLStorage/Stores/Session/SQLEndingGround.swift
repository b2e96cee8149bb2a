import Bridge

/// ``EndingWalk`` on the tables, inside one transaction.
struct SQLEndingGround: EndingGround {
    let transaction: WriteTransaction
    let sql: EndingSQL

    func end(appSession id: SessionID, at now: Timestamp) throws -> AppSession? {
        guard let row = try transaction.run(sql.endAppSession, [SQLValue(id), SQLValue(now)]).first else { return nil }
        transaction.announce(ended: id)
        return try AppSession(row: row)
    }

    func end(webSession id: SessionID, at now: Timestamp) throws -> WebSession? {
        guard let row = try transaction.run(sql.endWebSession, [SQLValue(id), SQLValue(now)]).first else { return nil }
        transaction.announce(ended: id)
        return try WebSession(row: row)
    }

    func revoke(device id: DeviceSecretID, at now: Timestamp, reason: String) throws -> DeviceSecret? {
        guard try transaction.changes(DeviceSecretSQL.revoke, [SQLValue(id), SQLValue(now), .text(reason)]) else {
            return nil
        }
        return try transaction.run(DeviceSecretSQL.select, [SQLValue(id)]).first.map(DeviceSecret.init(row:))
    }

    func deleteCodes(below id: SessionID) throws {
        for statement in EndingSQL.deleteCodes { _ = try transaction.changes(statement, [SQLValue(id)]) }
    }

    func sessions(below id: SessionID) throws -> [EndingRoot] {
        try transaction.run(EndingSQL.below, [SQLValue(id)]).map(EndingRoot.init(row:))
    }

    func grants(in id: SessionID, at now: Timestamp) throws -> [AppSession] {
        try transaction.run(EndingSQL.grantsIn, [SQLValue(id), SQLValue(now)]).map { try AppSession(row: $0) }
    }

    func appSessions(of device: DeviceSecretID) throws -> [SessionID] {
        try transaction.run(AppSessionSQL.idsUnderDeviceSecret, [SQLValue(device)]).map { try $0.identifier(0) }
    }

    func everything(of subject: Subject, at now: Timestamp) throws -> [EndingRoot] {
        try transaction.run(EndingSQL.everythingOf, [SQLValue(subject), SQLValue(now)]).map(EndingRoot.init(row:))
    }

    func voidLoginTokens(of subject: Subject, at now: Timestamp) throws {
        _ = try transaction.changes(EndingSQL.voidLoginTokens, [SQLValue(subject), SQLValue(now)])
    }

    func endConsole(of subject: Subject, _ ending: Ending) throws {
        try transaction.endAdminSessions(
            of: subject, AuditEvent(at: ending.at, type: .adminSignedOut, outcome: .success, reason: ending.reason))
    }

    func record(_ event: AuditEvent) throws { try transaction.record(event) }

    func tellClient(of session: AppSession, at now: Timestamp) throws {
        // One end, one notice: the session's id will do for the notice's.
        try transaction.submit(
            LogoutNoticeSQL.insert,
            [
                SQLValue(session.id), SQLValue(session.clientID), SQLValue(session.subject), SQLValue(session.id),
                SQLValue(now),
            ])
    }

    func tellClient(of device: DeviceSecretID, by event: AuditEvent) throws {
        try transaction.queueWebhook(ended: device, by: event)
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

import Bridge

extension AuditRecord {
    /// The values of ``AuditSQL/columns``.
    var columns: [SQLValue] {
        [
            .text(node), .integer(sequence), SQLValue(event.at), .text(event.type.rawValue),
            .text(event.outcome.rawValue), SQLValue(event.reason), SQLValue(event.subject), SQLValue(event.clientID),
            SQLValue(event.targetClientID), SQLValue(event.sessionID), SQLValue(event.tokenID),
            SQLValue(event.address), SQLValue(event.userAgent), SQLValue(event.requestID), SQLValue(event.detail),
            .text(previousHash), .text(hash),
        ]
    }

    init(row: SQLRow) throws {
        var event = AuditEvent(
            at: try row.timestamp(2), type: AuditEventType(rawValue: try row.text(3)), outcome: try row.word(4),
            reason: try row.optionalText(5), subject: try row.optionalIdentifier(6),
            clientID: try row.optionalIdentifier(7), targetClientID: try row.optionalIdentifier(8),
            sessionID: try row.optionalIdentifier(9), tokenID: try row.optionalIdentifier(10),
            detail: try row.optionalText(14))
        event.address = try row.optionalText(11)
        event.userAgent = try row.optionalText(12)
        event.requestID = try row.optionalText(13)
        self.init(
            node: try row.text(0), sequence: try row.integer(1), event: event, previousHash: try row.text(15),
            hash: try row.text(16))
    }
}

extension AuditCheckpoint {
    var columns: [SQLValue] { [.text(node), .integer(size), SQLValue(at), .text(hash), .text(note)] }

    init(row: SQLRow) throws {
        self.init(
            node: try row.text(0), size: try row.integer(1), at: try row.timestamp(2), hash: try row.text(3),
            note: try row.text(4))
    }
}

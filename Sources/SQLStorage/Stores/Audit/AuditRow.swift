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
}

extension AuditReading<AuditRecord> {
    /// Reads the values of ``AuditSQL/columns``, whatever they are.
    init(row: SQLRow) {
        var columns = AuditColumns(row)
        let node = columns.node(0)
        let sequence = columns.sequence(1, "sequence")
        let at = columns.instant(2)
        let type = columns.text(3, "type")
        let outcome = AuditEvent.Outcome(rawValue: columns.text(4, "outcome"))
        if outcome == nil { columns.note("outcome") }
        var event = AuditEvent(
            at: at ?? .earliest, type: AuditEventType(rawValue: type), outcome: outcome ?? .failure,
            reason: columns.optionalText(5, "reason"),
            subject: columns.optionalText(6, "sub").map(Subject.init(rawValue:)),
            clientID: columns.optionalText(7, "client_id").map(ClientID.init(rawValue:)),
            targetClientID: columns.optionalText(8, "target_client_id").map(ClientID.init(rawValue:)),
            sessionID: columns.optionalText(9, "sid").map(SessionID.init(rawValue:)),
            tokenID: columns.optionalText(10, "token_id").map(TokenID.init(rawValue:)),
            detail: columns.optionalText(14, "detail"))
        event.address = columns.optionalText(11, "ip")
        event.userAgent = columns.optionalText(12, "user_agent")
        event.requestID = columns.optionalText(13, "request_id")
        let previousHash = columns.text(15, "previous_hash")
        let hash = columns.hash(16)
        if let field = columns.unreadable {
            self = .damaged(AuditDamage(.event, node: node, sequence: sequence, field: field, at: at, hash: hash))
        } else {
            self = .intact(
                AuditRecord(
                    node: node, sequence: sequence, event: event, previousHash: previousHash, hash: hash ?? ""))
        }
    }
}

extension AuditCheckpoint {
    var columns: [SQLValue] { [.text(node), .integer(size), SQLValue(at), .text(hash), .text(note)] }
}

extension AuditReading<AuditCheckpoint> {
    init(row: SQLRow) {
        var columns = AuditColumns(row)
        let node = columns.node(0)
        let size = columns.sequence(1, "size")
        let at = columns.instant(2)
        let hash = columns.text(3, "hash")
        let note = columns.text(4, "note")
        if let field = columns.unreadable {
            self = .damaged(AuditDamage(.checkpoint, node: node, sequence: size, field: field, at: at))
        } else {
            self = .intact(AuditCheckpoint(node: node, size: size, at: at ?? .earliest, hash: hash, note: note))
        }
    }
}

extension AuditCut {
    var columns: [SQLValue] { [.text(node), .integer(through), .text(note)] }
}

extension AuditReading<AuditCut> {
    init(row: SQLRow) {
        var columns = AuditColumns(row)
        let node = columns.node(0)
        let through = columns.sequence(1, "through")
        let note = columns.text(2, "note")
        if columns.unreadable == nil, case .cut(let said)? = AuditNote(note: note) {
            self = .intact(
                AuditCut(
                    node: node, through: through, hash: said.hash, retention: said.retention,
                    isAdopted: said.isAdopted, at: said.at, note: note))
        } else {
            self = .damaged(AuditDamage(.cut, node: node, sequence: through, field: columns.unreadable ?? "note"))
        }
    }
}

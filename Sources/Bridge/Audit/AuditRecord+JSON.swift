package import OAuth2

extension AuditRecord {
    /// The record with the contract's names (§8), every one of them in every object.
    package var json: [UInt8] {
        var writer = JSONObjectWriter()
        writer.add("id", id)
        writer.add("at", event.at.rfc3339)
        writer.add("type", event.type.rawValue)
        writer.add("outcome", event.outcome.rawValue)
        writer.add("reason", event.reason)
        writer.add("sub", event.subject?.rawValue)
        writer.add("client_id", event.clientID?.rawValue)
        writer.add("target_client_id", event.targetClientID?.rawValue)
        writer.add("sid", event.sessionID?.rawValue)
        writer.add("token_id", event.tokenID?.rawValue)
        writer.add("ip", event.address)
        writer.add("user_agent", event.userAgent)
        writer.add("request_id", event.requestID)
        // As text, not as an object: the hash covers these very bytes.
        writer.add("detail", event.detail)
        writer.add("node", node)
        writer.add("sequence", sequence)
        writer.add("hash", hash)
        writer.add("previous_hash", previousHash)
        return writer.finish()
    }

    /// Why an object is no record: a member's name, or `id` when it does not fit the rest.
    package struct FieldProblem: Error, Hashable, Sendable {
        package let field: String
    }

    /// Reads what ``json`` writes. An absent member counts as `null`; an unknown one is refused, since a hash that
    /// does not cover it would vouch for it.
    package init(json members: [String: JSONValue]) throws(FieldProblem) {
        var rest = members
        func text(_ name: String) throws(FieldProblem) -> String? {
            guard let value = rest.removeValue(forKey: name), !value.isNull else { return nil }
            guard let text = value.string else { throw FieldProblem(field: name) }
            return text
        }
        func required(_ name: String) throws(FieldProblem) -> String {
            guard let text = try text(name) else { throw FieldProblem(field: name) }
            return text
        }
        guard let at = Timestamp(rfc3339: try required("at")) else { throw FieldProblem(field: "at") }
        guard let outcome = AuditEvent.Outcome(rawValue: try required("outcome")) else {
            throw FieldProblem(field: "outcome")
        }
        guard let sequence = rest.removeValue(forKey: "sequence")?.integer, sequence > 0 else {
            throw FieldProblem(field: "sequence")
        }
        var event = AuditEvent(
            at: at, type: AuditEventType(rawValue: try required("type")), outcome: outcome,
            reason: try text("reason"), subject: try text("sub").map(Subject.init(rawValue:)),
            clientID: try text("client_id").map(ClientID.init(rawValue:)),
            targetClientID: try text("target_client_id").map(ClientID.init(rawValue:)),
            sessionID: try text("sid").map(SessionID.init(rawValue:)),
            tokenID: try text("token_id").map(TokenID.init(rawValue:)), detail: try text("detail"))
        event.address = try text("ip")
        event.userAgent = try text("user_agent")
        event.requestID = try text("request_id")
        self.init(
            node: try required("node"), sequence: sequence, event: event, previousHash: try required("previous_hash"),
            hash: try required("hash"))
        guard try required("id") == id else { throw FieldProblem(field: "id") }
        if let unknown = rest.keys.min() { throw FieldProblem(field: unknown) }
    }
}

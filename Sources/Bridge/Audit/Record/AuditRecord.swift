package import OAuth2

/// An audit event in its place: numbered within its node and chained to the one before it.
package struct AuditRecord: Hashable, Sendable {
    /// Unique over all nodes, and it says where to look.
    package var id: String { Self.id(node: node, sequence: sequence) }
    /// The name of the node that wrote it; each node has a chain of its own.
    package let node: String
    /// 1 for a node's first event, then without gaps.
    package let sequence: Int64
    package let event: AuditEvent
    /// The previous event's ``hash``; for the first, ``genesis``.
    package let previousHash: String
    /// Base64url of SHA-256 over ``previousHash`` and every field: 43 characters.
    package let hash: String

    /// What a sequence can be: far more events than any node writes, and no sum with it overflows.
    package static let sequences: ClosedRange<Int64> = 1...(1 << 52)

    /// The most bytes of one of an event's texts. Requests are bounded below it, so no more was ever written.
    package static let maximumTextLength = 131_072

    /// What the first event of a chain names as its predecessor: 32 zero bytes.
    package static let genesis = Base64URL.encode([UInt8](repeating: 0, count: 32))

    /// A record as a store or an export holds it; its hash is claimed, not checked.
    package init(node: String, sequence: Int64, event: AuditEvent, previousHash: String, hash: String) {
        self.node = node
        self.sequence = sequence
        self.event = event
        self.previousHash = previousHash
        self.hash = hash
    }

    /// Chains an event to `previousHash`.
    package init(chaining event: AuditEvent, node: String, sequence: Int64, previousHash: String) {
        self.init(
            node: node, sequence: sequence, event: event, previousHash: previousHash,
            hash: AuditRecordText(event, node: node, sequence: sequence, previousHash: previousHash).hash)
    }
}

extension AuditLog {
    /// What replaces this id, `<node>-<sequence>`.
    package func entry(id: String) async throws -> AuditEntry? {
        guard let place = AuditRecord.place(of: id) else { return nil }
        return try await entries(of: place.node, in: place.sequence...place.sequence, limit: 1).first
    }
}

extension AuditRecord {
    /// `<node>-<sequence>`.
    package static func id(node: String, sequence: Int64) -> String { "\(node)-\(sequence)" }

    /// The node and sequence that an id names.
    package static func place(of id: String) -> (node: String, sequence: Int64)? {
        // A node's name may hold hyphens, a number does not.
        guard let hyphen = id.lastIndex(of: "-"), let sequence = Int64(id[id.index(after: hyphen)...]),
            AuditRecord.sequences.contains(sequence)
        else { return nil }
        let node = String(id[..<hyphen])
        return node.isEmpty ? nil : (node, sequence)
    }
}

extension AuditRecord {
    /// The record with the names of contract §8, every one of them in every object.
    package var json: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(768)
        appendJSON(to: &output)
        return output
    }

    /// Appends ``json``.
    ///
    /// Its members are in a fixed order without white space; ``AuditRecordLine`` reads that form fast.
    package func appendJSON(to output: inout [UInt8]) {
        output.append(literal: #"{"id":"#)
        JSONText.appendQuoted(node, to: &output)
        // The id is the node, a hyphen and the number: inside the closing quote.
        output.removeLast()
        output.append(UInt8(ascii: "-"))
        output.append(decimal: sequence)
        output.append(literal: #"","at":""#)
        event.at.appendRFC3339(to: &output)
        output.append(literal: #"","type":"#)
        JSONText.appendQuoted(event.type.rawValue, to: &output)
        output.append(literal: event.outcome == .success ? #","outcome":"success""# : #","outcome":"failure""#)
        func append(_ name: StaticString, _ value: String?) {
            output.append(literal: name)
            guard let value else { return output.append(literal: "null") }
            JSONText.appendQuoted(value, to: &output)
        }
        append(#","reason":"#, event.reason)
        append(#","sub":"#, event.subject?.rawValue)
        append(#","client_id":"#, event.clientID?.rawValue)
        append(#","target_client_id":"#, event.targetClientID?.rawValue)
        append(#","sid":"#, event.sessionID?.rawValue)
        append(#","token_id":"#, event.tokenID?.rawValue)
        append(#","ip":"#, event.address)
        append(#","user_agent":"#, event.userAgent)
        append(#","request_id":"#, event.requestID)
        // As text, not as an object: the hash covers these very bytes.
        append(#","detail":"#, event.detail)
        append(#","node":"#, node)
        output.append(literal: #","sequence":"#)
        output.append(decimal: sequence)
        append(#","hash":"#, hash)
        append(#","previous_hash":"#, previousHash)
        output.append(UInt8(ascii: "}"))
    }

    /// Why an object is not a record: a member's name, or `id` when it does not fit the rest.
    package struct FieldError: Error, Hashable, Sendable {
        package let field: String
    }

    /// Reads what ``json`` writes. An absent member counts as `null`; an unknown one is refused, since a hash that
    /// does not cover it would vouch for it.
    package init(json members: [String: JSONValue]) throws(FieldError) {
        var rest = members
        func text(_ name: String) throws(FieldError) -> String? {
            guard let value = rest.removeValue(forKey: name), !value.isNull else { return nil }
            guard let text = value.string else { throw FieldError(field: name) }
            return text
        }
        func required(_ name: String) throws(FieldError) -> String {
            guard let text = try text(name) else { throw FieldError(field: name) }
            return text
        }
        guard let at = Timestamp(rfc3339: try required("at")) else { throw FieldError(field: "at") }
        guard let outcome = AuditEvent.Outcome(rawValue: try required("outcome")) else {
            throw FieldError(field: "outcome")
        }
        guard let sequence = rest.removeValue(forKey: "sequence")?.integer, Self.sequences.contains(sequence) else {
            throw FieldError(field: "sequence")
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
        guard try required("id") == id else { throw FieldError(field: "id") }
        if let unknown = rest.keys.min() { throw FieldError(field: unknown) }
    }
}

extension [String: JSONValue] {
    /// A member that has to be a string.
    func text(_ name: String) throws(AuditRecord.FieldError) -> String {
        guard let text = self[name]?.string else { throw .init(field: name) }
        return text
    }
}

import OAuth2

/// Reads an event's line of an export in the very form that ``AuditRecord/appendJSON(to:)`` writes.
///
/// A general reader makes a dictionary of every line, which takes ten times as long. Whatever this one does not know
/// (another order, white space, an escape) is left to that one; what it does read, that one reads alike.
struct AuditRecordLine {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// - Parameter bytes: a line without its line feed.
    /// - Returns: `nil` when the general reader must look.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> AuditRecord? {
        var line = AuditRecordLine(bytes: bytes)
        return line.record()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private mutating func record() -> AuditRecord? {
        guard let id = text(#"{"id":"#), let instant = text(#","at":"#), let at = Timestamp(rfc3339: instant),
            let type = text(#","type":"#), let word = text(#","outcome":"#),
            let outcome = AuditEvent.Outcome(rawValue: word),
            let reason = optional(#","reason":"#), let subject = optional(#","sub":"#),
            let client = optional(#","client_id":"#), let target = optional(#","target_client_id":"#),
            let session = optional(#","sid":"#), let token = optional(#","token_id":"#),
            let address = optional(#","ip":"#), let agent = optional(#","user_agent":"#),
            let request = optional(#","request_id":"#), let detail = optional(#","detail":"#),
            let node = text(#","node":"#), let sequence = number(#","sequence":"#),
            AuditRecord.sequences.contains(sequence), let hash = text(#","hash":"#),
            let previousHash = text(#","previous_hash":"#), skip("}"), position == bytes.count
        else { return nil }
        var event = AuditEvent(
            at: at, type: AuditEventType(rawValue: type), outcome: outcome, reason: reason.value,
            subject: subject.value.map(Subject.init(rawValue:)), clientID: client.value.map(ClientID.init(rawValue:)),
            targetClientID: target.value.map(ClientID.init(rawValue:)),
            sessionID: session.value.map(SessionID.init(rawValue:)),
            tokenID: token.value.map(TokenID.init(rawValue:)), detail: detail.value)
        event.address = address.value
        event.userAgent = agent.value
        event.requestID = request.value
        let record = AuditRecord(node: node, sequence: sequence, event: event, previousHash: previousHash, hash: hash)
        return record.id == id ? record : nil
    }

    /// A member that may be `null`.
    private struct Nullable { let value: String? }

    private mutating func optional(_ name: StaticString) -> Nullable? {
        guard skip(name) else { return nil }
        if skip("null") { return Nullable(value: nil) }
        return quoted().map(Nullable.init(value:))
    }

    private mutating func text(_ name: StaticString) -> String? { skip(name) ? quoted() : nil }

    private mutating func number(_ name: StaticString) -> Int64? {
        guard skip(name) else { return nil }
        let start = position
        while position < bytes.count, ASCII.isDigit(bytes[position]) {
            position += 1
        }
        // One spelling only; the general reader says what is wrong with another.
        guard position > start, bytes[start] != UInt8(ascii: "0") else { return nil }
        return Int64(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func skip(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard bytes.count - position >= length else { return false }
        for index in 0..<length where literal.utf8Start[index] != bytes[position + index] { return false }
        position += length
        return true
    }

    /// A string without escapes.
    private mutating func quoted() -> String? {
        guard skip("\"") else { return nil }
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            guard bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return String(validating: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }
}

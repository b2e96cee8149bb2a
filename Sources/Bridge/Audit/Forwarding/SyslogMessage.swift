import OAuth2

/// What a receiver of audit events gets as a syslog message (RFC 5424): the main facts as structured data, the whole of it
/// as JSON.
package struct SyslogMessage: Sendable {
    /// The number that IANA keeps for examples (RFC 5612), for those who have none of their own.
    package static let exampleEnterprise = 32473

    /// The facility "log audit".
    private static let facility = 13
    private static let maximumHost = 255
    private static let maximumKind = 32
    /// Bytes of a parameter's value before escaping. The JSON has it whole.
    private static let maximumValue = 256
    /// RFC 5424 §7.3.1.
    private static let maximumSequence: Int64 = 2_147_483_647

    private let enterprise: Int

    /// - Parameter enterprise: the private enterprise number in the name of our structured data.
    package init(enterprise: Int = exampleEnterprise) { self.enterprise = enterprise }

    /// The message with its length in front (RFC 6587 §3.4.1, RFC 5425 §4.3).
    package func appendFrame(of item: AuditForwardItem, to output: inout [UInt8]) {
        let message = bytes(of: item)
        output.append(decimal: Int64(message.count))
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: message)
    }

    /// The message alone.
    package func bytes(of item: AuditForwardItem) -> [UInt8] {
        switch item {
        case .entry(.intact(let record)):
            message(
                severity: Self.severity(of: record.event), at: record.event.at, node: record.node,
                kind: record.event.type.rawValue, facts: Self.facts(record), sequence: record.sequence,
                json: record.json)
        case .entry(.damaged(let damage)):
            message(
                severity: 3, at: damage.at, node: damage.node, kind: "damaged",
                facts: [("id", damage.id), ("reason", damage.field)], sequence: damage.sequence, json: damage.json)
        case .note(let note):
            message(
                severity: 5, at: note.at, node: note.node, kind: note.name.replacing(" ", with: "."),
                facts: [("id", AuditRecord.id(node: note.node, sequence: note.sequence))], sequence: note.sequence,
                json: note.json)
        }
    }

    private static func facts(_ record: AuditRecord) -> [(StaticString, String?)] {
        let event = record.event
        return [
            ("id", record.id), ("outcome", event.outcome.rawValue), ("reason", event.reason),
            ("sub", event.subject?.rawValue), ("client_id", event.clientID?.rawValue),
            ("target_client_id", event.targetClientID?.rawValue), ("sid", event.sessionID?.rawValue),
            ("token_id", event.tokenID?.rawValue), ("ip", event.address), ("request_id", event.requestID),
        ]
    }

    private func message(
        severity: Int, at: Timestamp?, node: String, kind: String, facts: [(StaticString, String?)], sequence: Int64,
        json: [UInt8]
    ) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(1536)
        output.append(UInt8(ascii: "<"))
        output.append(decimal: Int64(Self.facility * 8 + severity))
        output.append(literal: ">1 ")
        if let at { at.appendRFC3339(to: &output) } else { output.append(UInt8(ascii: "-")) }
        output.append(UInt8(ascii: " "))
        Self.append(name: node, limit: Self.maximumHost, to: &output)
        output.append(literal: " drawbridge - ")
        Self.append(name: kind, limit: Self.maximumKind, to: &output)
        output.append(literal: " [drawbridge@")
        output.append(decimal: Int64(enterprise))
        for (name, value) in facts {
            guard let value else { continue }
            Self.append(parameter: name, value, to: &output)
        }
        output.append(literal: "][meta")
        let number = (max(1, sequence) - 1) % Self.maximumSequence + 1
        Self.append(parameter: "sequenceId", String(number), to: &output)
        output.append(literal: "] ")
        // ASCII only: a message in UTF-8 would have to begin with a byte order mark (RFC 5424 §6.4), which many
        // readers of JSON take for an error.
        JSONText.appendASCII(json, to: &output)
        return output
    }

    /// RFC 5424 §6.2.1: error, warning or informational.
    private static func severity(of event: AuditEvent) -> Int {
        if AuditEventType.tokenReuses.contains(event.type) { return 3 }
        return event.outcome == .success ? 6 : 4
    }

    /// A field of the header: visible ASCII without spaces, `-` for nothing.
    private static func append(name: String, limit: Int, to output: inout [UInt8]) {
        guard !name.isEmpty else { return output.append(UInt8(ascii: "-")) }
        for byte in name.utf8.prefix(limit) {
            output.append(ASCII.isVisible(byte) ? byte : UInt8(ascii: "_"))
        }
    }

    /// ` name="value"`, the value in UTF-8 with `"`, `\` and `]` escaped (RFC 5424 §6.3.3), cut between characters.
    private static func append(parameter name: StaticString, _ value: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: " "))
        output.append(literal: name)
        output.append(literal: "=\"")
        var length = 0
        for scalar in value.unicodeScalars {
            length += scalar.utf8.count
            guard length <= maximumValue else { break }
            switch scalar {
            case "\"", "\\", "]":
                output.append(UInt8(ascii: "\\"))
                output.append(UInt8(scalar.value))
            // A line feed in a message splits it for readers that know no lengths.
            case let scalar where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                output.append(UInt8(ascii: "?"))
            default: output.append(contentsOf: scalar.utf8)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}

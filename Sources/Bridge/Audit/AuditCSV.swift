/// The audit log as a table (RFC 4180), for people and their spreadsheets. It cannot be read back for verification.
package enum AuditCSV {
    package static let header =
        "id,at,type,outcome,reason,sub,client_id,target_client_id,sid,token_id,ip,user_agent,request_id,detail,node,"
        + "sequence,hash,previous_hash\r\n"

    /// A record's row, its line end included.
    package static func row(_ record: AuditRecord) -> String {
        let event = record.event
        let fields: [String?] = [
            record.id, event.at.rfc3339, event.type.rawValue, event.outcome.rawValue, event.reason,
            event.subject?.rawValue, event.clientID?.rawValue, event.targetClientID?.rawValue,
            event.sessionID?.rawValue, event.tokenID?.rawValue, event.address, event.userAgent, event.requestID,
            event.detail, record.node, String(record.sequence), record.hash, record.previousHash,
        ]
        return fields.map { $0.map(field) ?? "" }.joined(separator: ",") + "\r\n"
    }

    /// One field.
    ///
    /// A user agent is anybody's text, and a spreadsheet runs what begins like a formula: an apostrophe before it
    /// makes it text (OWASP, "CSV Injection").
    static func field(_ text: String) -> String {
        var text = text
        if let first = text.utf8.first, "=+-@\t\r\n".utf8.contains(first) { text = "'" + text }
        // Also the full-width forms, which some spreadsheets take for their ASCII ones.
        if let first = text.unicodeScalars.first, ["\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"].contains(first) {
            text = "'" + text
        }
        let needsQuotes = text.utf8.contains { "\",\r\n;'".utf8.contains($0) }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

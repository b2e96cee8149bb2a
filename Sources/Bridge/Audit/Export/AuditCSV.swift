import OAuth2

/// The audit log as a table (RFC 4180), for people and their spreadsheets. It cannot be read back for verification.
package enum AuditCSV {
    package static let header =
        "id,at,type,outcome,reason,sub,client_id,target_client_id,sid,token_id,ip,user_agent,request_id,detail,node,"
        + "sequence,hash,previous_hash\r\n"

    /// A row, its line end included.
    package static func row(_ entry: AuditEntry) -> String {
        var output: [UInt8] = []
        switch entry {
        case .intact(let record): appendRow(record, to: &output)
        case .damaged(let damage): appendRow(damage, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a record's row.
    static func appendRow(_ record: AuditRecord, to output: inout [UInt8]) {
        let event = record.event
        append(record.id, to: &output)
        output.append(separator)
        event.at.appendRFC3339(to: &output)
        let fields: [String?] = [
            event.type.rawValue, event.outcome.rawValue, event.reason, event.subject?.rawValue,
            event.clientID?.rawValue, event.targetClientID?.rawValue, event.sessionID?.rawValue,
            event.tokenID?.rawValue, event.address, event.userAgent, event.requestID, event.detail, record.node,
        ]
        for field in fields {
            output.append(separator)
            if let field { append(field, to: &output) }
        }
        output.append(separator)
        output.append(decimal: record.sequence)
        output.append(separator)
        append(record.hash, to: &output)
        output.append(separator)
        append(record.previousHash, to: &output)
        output.append(literal: "\r\n")
    }

    /// A row of as many fields for something that cannot be read; what there is of it is in its own columns.
    static func appendRow(_ damage: AuditDamage, to output: inout [UInt8]) {
        let first = [damage.id, damage.at?.rfc3339 ?? "", "damaged", "", damage.sentence]
        let last = [damage.node, String(damage.sequence), damage.hash ?? "", ""]
        let empty = [String](repeating: "", count: columnCount - first.count - last.count)
        for (index, field) in (first + empty + last).enumerated() {
            if index > 0 { output.append(separator) }
            append(field, to: &output)
        }
        output.append(literal: "\r\n")
    }

    private static let columnCount = header.split(separator: ",").count
    private static let separator = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")

    /// What makes a field one that needs quotes.
    private static let isSpecial: [Bool] = (0...255).map { "\",\t\r\n;'".utf8.contains($0) }
    /// Where a cell begins for a spreadsheet that splits at something other than a comma. It takes no quotes for such
    /// that stand in the middle of its cell, so those of the field hide nothing from it.
    private static let beginsCell: [Bool] = (0...255).map { ";\t\r\n".utf8.contains($0) }
    /// What a spreadsheet takes off a cell's beginning before it looks at it.
    private static let isTakenOff: [Bool] = (0...255).map { " \"".utf8.contains($0) }

    /// One field.
    ///
    /// A user agent is anybody's text, and a spreadsheet runs what begins like a formula: an apostrophe before it
    /// makes it text (OWASP, "CSV Injection"). A program that reads the file as CSV gets another value then, so ids and
    /// hashes are left as they are, of which one in 64 begins with a dash.
    private static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            let isFormula = beginsLikeFormula(bytes[...]) && !isHarmless(bytes) || beginsWithControl(bytes)
            guard isFormula || bytes.contains(where: { isSpecial[Int($0)] }) else {
                return output.append(contentsOf: bytes)
            }
            output.append(quote)
            if isFormula { output.append(apostrophe) }
            for (index, byte) in bytes.enumerated() {
                if byte == quote { output.append(quote) }
                output.append(byte)
                if beginsCell[Int(byte)], beginsLikeFormula(bytes[(index + 1)...]) { output.append(apostrophe) }
            }
            output.append(quote)
        }
    }

    private static func beginsLikeFormula(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let rest = bytes.drop { isTakenOff[Int($0)] }
        guard let first = rest.first else { return false }
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): return true
        // Also the full-width forms U+FF1D, U+FF0B, U+FF0D and U+FF20, which some spreadsheets take for ASCII's.
        case 0xEF: return fullWidth.contains { rest.starts(with: $0) }
        default: return false
        }
    }

    private static let fullWidth = ["\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"].map { Array($0.utf8) }

    private static func beginsWithControl(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.first.map { [0x09, 0x0A, 0x0D].contains($0) } ?? false
    }

    /// With letters, digits, dashes and underscores alone it can be no more than a number, a cell's name or a difference
    /// of such. Whatever calls a function, a program or another file needs a parenthesis, a bracket, a bar, an
    /// exclamation mark or a quote, and then it is not left as it is.
    private static func isHarmless(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: "-") && bytes.allSatisfy(ASCII.isBase64URL)
    }
}

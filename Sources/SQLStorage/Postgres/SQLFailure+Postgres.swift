import CPostgres

extension SQLFailure {
    /// What the server said, without the detail, which quotes values of the row.
    init(postgresResult result: OpaquePointer, connection: OpaquePointer) {
        guard let state = Self.state(ofResult: result) else {
            self.init(postgresConnection: connection)
            return
        }
        let message = PQresultErrorField(result, Self.primaryMessageField).map { String(cString: $0) } ?? "no message"
        self.init(kind: Self.kind(ofState: state, message: message), text: "PostgreSQL \(state): \(message)")
    }

    /// What became of the connection itself.
    init(postgresConnection connection: OpaquePointer) {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        self.init(kind: .interrupted, text: "PostgreSQL connection: \(message.oneLine)")
    }

    /// By class and, where a class is mixed, by code: PostgreSQL's manual, appendix A.
    static func kind(ofState state: String, message: String = "") -> Kind {
        switch state {
        case "40001", "40P01": .interrupted
        // The server stops, or sends its sessions away; 25P03 and 57P05 are its own deadlines for idle sessions.
        case "57P01", "57P02", "57P03", "25P03", "57P05": .interrupted
        // A server that was made a standby, and statements that somebody else dropped or whose tables were changed:
        // a new connection sees the world as it is.
        case "25006", "26000": .interrupted
        case "0A000" where message.contains("cached plan"): .interrupted
        case "42501", "57014", "55P03", "25P02": .unavailable
        case "XX001", "XX002": .corrupt
        default:
            switch state.prefix(2) {
            case "08": .interrupted
            case "22", "23", "42", "0A", "21", "44", "54": .refused
            default: .unavailable
            }
        }
    }

    /// Whether another transaction held on to something for too long.
    var isLockTimeout: Bool { text.hasPrefix("PostgreSQL 55P03:") }

    var isMissingTable: Bool { text.hasPrefix("PostgreSQL 42P01:") }

    /// Whether the connection is of no more use after this failure, although it may still be open.
    static func spoilsConnection(postgresResult result: OpaquePointer) -> Bool {
        let severity = PQresultErrorField(result, severityField).map { String(cString: $0) }
        return severity == "FATAL" || severity == "PANIC"
            || ["25006", "26000", "0A000"].contains(state(ofResult: result))
    }

    private static func state(ofResult result: OpaquePointer) -> String? {
        PQresultErrorField(result, sqlStateField).map { String(cString: $0) }
    }

    // PG_DIAG_SEVERITY_NONLOCALIZED, PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY; Swift does not import character
    // constants of C.
    private static let severityField = CInt(UInt8(ascii: "V"))
    private static let sqlStateField = CInt(UInt8(ascii: "C"))
    private static let primaryMessageField = CInt(UInt8(ascii: "M"))
}

extension String {
    /// libpq's messages end in a line break and may have several lines.
    var oneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

import Bridge
import Hummingbird
import OAuth2

/// Reads what a search of the audit log asks for, strictly: a filter that is not understood must never be one that
/// lets everything through.
enum AuditFilterReader {
    static let names: Set = [
        "from", "to", "type", "outcome", "reason", "sub", "client_id", "sid", "token_id", "ip", "request_id", "q",
    ]

    /// - Parameters:
    ///   - query: from ``AdminRequestReader/query(_:knowing:)``: a value that is not text would be absent here.
    ///   - isForm: whether a form of the console asks, as browsers send it: with every field, of which an empty one asks
    ///     for nothing, and with instants that lack their zone; UTC then.
    static func filter(_ query: FormParameters, isForm: Bool = false) throws -> AuditFilter {
        if !isForm, let name = query.names.first(where: { names.contains($0) && query.bytes($0) == nil }) {
            throw OAuthError(.invalidRequest, "\(name) is empty")
        }
        var filter = AuditFilter()
        filter.from = try instant("from", query, takesLocal: isForm)
        filter.to = try instant("to", query, takesLocal: isForm)
        if let from = filter.from, let to = filter.to, to < from {
            throw OAuthError(.invalidRequest, "to is before from", field: "to")
        }
        if let type = query["type"] {
            guard isType(type) else { throw OAuthError(.invalidRequest, "type must be noun.verb", field: "type") }
            filter.type = AuditEventType(rawValue: type)
        }
        if let outcome = query["outcome"] {
            guard let word = AuditEvent.Outcome(rawValue: outcome) else {
                throw OAuthError(.invalidRequest, "outcome must be success or failure", field: "outcome")
            }
            filter.outcome = word
        }
        if let reason = query["reason"] {
            guard reason.unicodeScalars.count <= AdminAction.reasonLimit else {
                throw OAuthError(
                    .invalidRequest, "reason must be at most \(AdminAction.reasonLimit) characters", field: "reason")
            }
            filter.reason = reason
        }
        filter.subject = query["sub"].map(Subject.init(rawValue:))
        filter.clientID = query["client_id"].map(ClientID.init(rawValue:))
        filter.sessionID = query["sid"].map(SessionID.init(rawValue:))
        filter.tokenID = query["token_id"].map(TokenID.init(rawValue:))
        filter.requestID = query["request_id"]
        filter.text = query["q"]
        if let address = query["ip"], !filter.ask(forAddress: address) {
            throw OAuthError(.invalidRequest, "ip \(AuditFilter.addressExpectation)", field: "ip")
        }
        return filter
    }

    static func cursor(_ query: FormParameters) throws -> AuditCursor? {
        guard let text = try AdminRequestReader.cursor(query) else { return nil }
        guard let cursor = AuditCursor(text: text) else { throw OAuthError(.invalidRequest, "cursor is malformed") }
        return cursor
    }

    /// `2026-11-21T07:00` or `2026-11-21T07:00:00`.
    private static func local(_ text: String) -> Timestamp? {
        Timestamp(rfc3339: text.utf8.count == 16 ? "\(text):00Z" : "\(text)Z")
    }

    private static func instant(
        _ name: String, _ query: FormParameters, takesLocal: Bool
    ) throws -> Timestamp? {
        guard let text = query[name] else { return nil }
        // A plus that was not escaped comes as a space.
        let instant =
            Timestamp(rfc3339: text.replacing(" ", with: "+")) ?? (takesLocal ? local(text) : nil)
        guard let instant else {
            throw OAuthError(
                .invalidRequest, "\(name) must be an instant such as 2026-11-21T07:00:00Z", field: name)
        }
        return instant
    }

    private static func isType(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { ASCII.isLowercase($0) || $0 == UInt8(ascii: "_") }
            }
    }
}

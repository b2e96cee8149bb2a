import Bridge
import Hummingbird
import OAuth2

/// Reads what a search of the audit log asks for, strictly: a filter that is not understood must never be one that
/// lets everything through.
enum AuditFilterReader {
    static let names: Set = [
        "from", "to", "type", "outcome", "reason", "sub", "client_id", "sid", "token_id", "ip", "request_id", "q",
    ]

    /// - Parameter takesLocal: whether an instant may lack its zone, as a browser's field of a date sends it; UTC then.
    static func filter(_ query: FormParameters, takesLocal: Bool = false) throws -> AuditFilter {
        var filter = AuditFilter()
        filter.from = try instant("from", query, takesLocal)
        filter.to = try instant("to", query, takesLocal)
        if let from = filter.from, let to = filter.to, to < from {
            throw OAuthError(.invalidRequest, "to is before from")
        }
        if let type = try text("type", query) {
            guard isType(type) else { throw OAuthError(.invalidRequest, "type must be noun.verb") }
            filter.type = AuditEventType(rawValue: type)
        }
        if let outcome = try text("outcome", query) {
            guard let word = AuditEvent.Outcome(rawValue: outcome) else {
                throw OAuthError(.invalidRequest, "outcome must be success or failure")
            }
            filter.outcome = word
        }
        filter.reason = try text("reason", query)
        filter.subject = try text("sub", query).map(Subject.init(rawValue:))
        filter.clientID = try text("client_id", query).map(ClientID.init(rawValue:))
        filter.sessionID = try text("sid", query).map(SessionID.init(rawValue:))
        filter.tokenID = try text("token_id", query).map(TokenID.init(rawValue:))
        filter.requestID = try text("request_id", query)
        filter.text = try text("q", query)
        if let address = try text("ip", query) {
            guard let network = NetworkPrefix(address) else {
                throw OAuthError(.invalidRequest, "ip must be an address or a network such as 203.0.113.0/24")
            }
            if let single = network.singleAddress {
                filter.address = single.description
            } else {
                filter.network = network
            }
        }
        return filter
    }

    static func cursor(_ query: FormParameters) throws -> AuditCursor? {
        guard let text = query["cursor"] else { return nil }
        guard let cursor = AuditCursor(text: text) else { throw OAuthError(.invalidRequest, "cursor is malformed") }
        return cursor
    }

    private static func text(_ name: String, _ query: FormParameters) throws -> String? {
        guard let bytes = query.bytes(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), bytes.count <= 512, !bytes.contains(0) else {
            throw OAuthError(.invalidRequest, "\(name) is malformed")
        }
        return text
    }

    /// `2026-11-21T07:00` or `2026-11-21T07:00:00`.
    private static func local(_ text: String) -> Timestamp? {
        Timestamp(rfc3339: text.utf8.count == 16 ? "\(text):00Z" : "\(text)Z")
    }

    private static func instant(
        _ name: String, _ query: FormParameters, _ takesLocal: Bool
    ) throws -> Timestamp? {
        guard let text = try text(name, query) else { return nil }
        // A plus that was not escaped comes as a space.
        let instant =
            Timestamp(rfc3339: text.replacing(" ", with: "+")) ?? (takesLocal ? local(text) : nil)
        guard let instant else {
            throw OAuthError(.invalidRequest, "\(name) must be an instant such as 2026-11-21T07:00:00Z")
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

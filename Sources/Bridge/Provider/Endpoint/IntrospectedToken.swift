package import OAuth2

/// A token that counts, and what its introspection says of it (RFC 7662 §2.2).
package struct IntrospectedToken: Sendable {
    let clientID: ClientID
    let audience: [String]
    /// The answer's members, `active` the first of them; written as they come, because resource servers ask about
    /// every request of theirs.
    package var members: JSONObjectWriter

    /// - Parameters:
    ///   - type: `token_type`.
    ///   - audience: empty for a token that concerns nobody but its client; one is written as a string.
    ///   - proofKeyThumbprint: `cnf.jkt` (RFC 9449 §6.2).
    package init(
        type: String, clientID: ClientID, audience: [String] = [], issuer: String, subject: Subject,
        sessionID: SessionID?, issuedAt: Timestamp, expiresAt: Timestamp, proofKeyThumbprint: String?
    ) {
        self.clientID = clientID
        self.audience = audience
        members = JSONObjectWriter(capacity: 512)
        members.add("active", true)
        members.add("token_type", type)
        members.add("client_id", clientID.rawValue)
        members.add("iss", issuer)
        members.add("sub", subject.rawValue)
        if audience.count == 1 {
            members.add("aud", audience[0])
        } else if !audience.isEmpty {
            members.add("aud", audience)
        }
        members.add("sid", sessionID?.rawValue)
        members.add("iat", issuedAt.seconds)
        members.add("exp", expiresAt.seconds)
        if let proofKeyThumbprint {
            var key = JSONObjectWriter(capacity: 64)
            key.add("jkt", proofKeyThumbprint)
            members.add("cnf", json: key)
        }
    }
}

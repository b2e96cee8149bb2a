/// A code as it is kept.
package struct IssuedAuthorizationCode: Hashable, Sendable {
    /// ``OpaqueSecret/digest`` of the code.
    package let digest: String
    package let grant: AuthorizationGrant
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(digest: String, grant: AuthorizationGrant, issuedAt: Timestamp, expiresAt: Timestamp) {
        self.digest = digest
        self.grant = grant
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// The name of a code, a device's too, in the audit log.
    /// - Parameter digest: ``digest``.
    static func publicName(_ digest: String) -> String { AuditDetail.publicName(of: "code", digest) }
}

/// A stored authorization code, and what became of it (contract §5.1).
package struct AuthorizationCodeState: Hashable, Sendable {
    package let code: IssuedAuthorizationCode
    /// The browser's session that it was issued in, from which what it opens descends.
    package let grantedIn: SessionID
    /// The session that the first use opened.
    package let sessionID: SessionID?
    package let redeemedAt: Timestamp?

    package init(
        code: IssuedAuthorizationCode, grantedIn: SessionID, sessionID: SessionID?, redeemedAt: Timestamp?
    ) {
        self.code = code
        self.grantedIn = grantedIn
        self.sessionID = sessionID
        self.redeemedAt = redeemedAt
    }
}

/// Whether this use of a code was the first, which alone opens a session (RFC 6749 §4.1.2).
package enum AuthorizationCodeRedeemOutcome: Hashable, Sendable {
    case opened
    case alreadyUsed
    /// Unknown, expired or purged.
    case gone
    case subjectDisabled
}

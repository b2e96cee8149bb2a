import Bridge
import OAuth2

extension IssuedAuthorizationCode {
    /// The values of ``AuthorizationCodeSQL/insert``.
    var columns: [SQLValue] {
        [
            .text(digest), SQLValue(grant.clientID), .text(grant.redirectURI), SQLValue(grant.codeChallenge?.value),
            SQLValue(grant.nonce), .text(grant.scope.description), SQLValue(grant.subject),
            SQLValue(grant.authentication.time), SQLValue(grant.authentication.acr),
            AuthenticationMethods.encode(grant.authentication.amr), SQLValue(grant.browserSessionID),
            grant.requestedClaims.column, SQLValue(grant.proofKeyThumbprint), SQLValue(issuedAt), SQLValue(expiresAt),
        ]
    }
}

extension AuthorizationCodeState {
    /// Reads a row of ``AuthorizationCodeSQL/select``.
    init(row: SQLRow) throws {
        let challenge = try row.optionalText(3).map { text in
            guard let challenge = CodeChallenge(text) else {
                throw StorageError.corrupt("a code's challenge is malformed")
            }
            return challenge
        }
        let grant = AuthorizationGrant(
            clientID: try row.identifier(1), redirectURI: try row.text(2), codeChallenge: challenge,
            nonce: try row.optionalText(4), scope: try row.scope(5), subject: try row.identifier(6),
            authentication: try row.authentication(7), browserSessionID: try row.identifier(10),
            requestedClaims: try row.requestedClaims(11),
            proofKeyThumbprint: try row.optionalText(12))
        self.init(
            code: IssuedAuthorizationCode(
                digest: try row.text(0), grant: grant, issuedAt: try row.timestamp(13),
                expiresAt: try row.timestamp(14)),
            misses: try row.count(15), grantedIn: try row.optionalIdentifier(18) ?? grant.browserSessionID,
            sessionID: try row.optionalIdentifier(17), redeemedAt: try row.optionalTimestamp(16))
    }
}

extension RequestedClaims {
    var column: SQLValue { isEmpty ? .null : .text(text) }
}

extension SQLRow {
    func scope(_ column: Int) throws -> Scope {
        let text = try text(column)
        guard let scope = text.isEmpty ? Scope.empty : Scope(text) else {
            throw StorageError.corrupt("column \(column) of the result is not a scope")
        }
        return scope
    }

    func requestedClaims(_ column: Int) throws -> RequestedClaims {
        guard let text = try optionalText(column) else { return .none }
        guard let claims = RequestedClaims(text) else {
            throw StorageError.corrupt("column \(column) of the result is not a claims request")
        }
        return claims
    }
}

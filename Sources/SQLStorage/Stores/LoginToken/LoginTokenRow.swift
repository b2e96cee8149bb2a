import Bridge

extension IssuedLoginToken {
    /// `$1` to `$5` of the statements about one token.
    var columns: [SQLValue] {
        [SQLValue(id), SQLValue(subject), SQLValue(clientID), SQLValue(issuedAt), SQLValue(expiresAt)]
    }

    /// Reads a row of ``LoginTokenSQL/select``.
    fileprivate init(row: SQLRow) throws {
        self.init(
            id: try row.identifier(0), subject: try row.identifier(1), clientID: try row.identifier(2),
            issuedAt: try row.timestamp(3), expiresAt: try row.timestamp(4), sessionID: try row.optionalIdentifier(11))
    }
}

extension LoginTokenState {
    /// Reads a row of ``LoginTokenSQL/select``.
    init(row: SQLRow) throws {
        let status: Status
        switch try row.text(5) {
        case "pending": status = .pending
        case "revoked": status = .revoked(at: try row.timestamp(7))
        case "redeemed":
            status = .redeemed(
                LoginTokenUse(
                    at: try row.timestamp(7), sessionID: try row.identifier(8), address: try row.optionalText(9),
                    userAgentDigest: try row.optionalText(10)))
        default: throw StorageError.corrupt("a login token is in no known state")
        }
        self.init(token: try IssuedLoginToken(row: row), status: status, misses: try row.count(6))
    }
}

extension IdempotencyRecord {
    var columns: [SQLValue] {
        [
            .text(keyDigest), .text(fingerprint), SQLValue(tokenID), .text(keyID), .text(payload),
            SQLValue(expiresAt),
        ]
    }

    /// Reads a row of ``LoginTokenSQL/selectKey``.
    init(row: SQLRow) throws {
        self.init(
            keyDigest: try row.text(0), fingerprint: try row.text(1), tokenID: try row.identifier(2),
            keyID: try row.text(3), payload: try row.text(4), expiresAt: try row.timestamp(5))
    }
}

import Bridge
import OAuth2

extension Account {
    /// `$1…` of ``AccountSQL/insert``.
    var columns: [SQLValue] {
        [
            SQLValue(subject), SQLValue(username?.text), SQLValue(username?.key), SQLValue(displayName),
            SQLValue(email), SQLValue(passwordHash?.text), SQLValue(role?.rawValue),
            SQLValue(secondFactor?.sealedSecret), SQLValue(secondFactor?.lastStep), SQLValue(createdAt),
            SQLValue(passwordChangedAt), SQLValue(claims.text), SQLValue(claimsChangedAt),
        ]
    }

    /// How many columns ``init(row:)`` reads.
    static let columnCount = 13

    /// Reads a row of ``AccountSQL/bySubject`` and its like.
    init(row: SQLRow) throws {
        var factor: SecondFactor?
        if let sealed = try row.optionalText(6) {
            factor = SecondFactor(sealedSecret: sealed, lastStep: try row.optionalInteger(7) ?? 0)
        }
        self.init(
            subject: try row.identifier(0), username: try Self.username(row), displayName: try row.optionalText(2),
            email: try row.optionalText(3), passwordHash: try Self.passwordHash(row),
            role: try row.optionalText(5) == nil ? nil : try row.word(5), secondFactor: factor,
            createdAt: try row.timestamp(8), passwordChangedAt: try row.timestamp(9),
            disabledAt: try row.optionalTimestamp(10), claims: try Self.claims(row),
            claimsChangedAt: try row.optionalTimestamp(12))
    }

    private static func username(_ row: SQLRow) throws -> Username? {
        guard let text = try row.optionalText(1) else { return nil }
        guard let username = Username(text) else { throw StorageError.corrupt("a stored username is none") }
        return username
    }

    private static func claims(_ row: SQLRow) throws -> StandardClaims {
        guard let text = try row.optionalText(11) else { return .none }
        guard let object = JSONValue.parse(text.utf8)?.object, let claims = try? StandardClaims(object) else {
            throw StorageError.corrupt("stored claims are none")
        }
        return claims
    }

    private static func passwordHash(_ row: SQLRow) throws -> PasswordHash? {
        guard let text = try row.optionalText(4) else { return nil }
        // Never read as "no password": an account must not change its ways because a row was damaged.
        guard let hash = PasswordHash(text) else { throw StorageError.corrupt("a stored password hash is none") }
        return hash
    }
}

import Bridge
import OAuth2

extension AppSession {
    /// The values of the table's columns, in the order of ``AppSessionSQL``.
    var columns: [SQLValue] {
        [
            SQLValue(id), SQLValue(subject), SQLValue(clientID), .text(scope.description), .text(opening.rawValue),
            SQLValue(authentication.time), SQLValue(authentication.acr),
            AuthenticationMethods.encode(authentication.amr), SQLValue(browserSessionID), SQLValue(deviceSecretID),
            SQLValue(parentID), requestedClaims.column, .integer(wantsLogoutNotice ? 1 : 0), SQLValue(createdAt),
            SQLValue(expiresAt), SQLValue(endedAt),
        ]
    }

    /// - Parameter first: the column that the session's own begin at.
    init(row: SQLRow, from first: Int = 0) throws {
        self.init(
            id: try row.identifier(first), subject: try row.identifier(first + 1),
            clientID: try row.identifier(first + 2), scope: try row.scope(first + 3),
            opening: try row.word(first + 4),
            authentication: Authentication(
                time: try row.optionalTimestamp(first + 5), acr: try row.optionalText(first + 6),
                amr: try AuthenticationMethods.decode(try row.optionalText(first + 7))),
            browserSessionID: try row.optionalIdentifier(first + 8),
            deviceSecretID: try row.optionalIdentifier(first + 9), parentID: try row.optionalIdentifier(first + 10),
            requestedClaims: try row.requestedClaims(first + 11),
            wantsLogoutNotice: try row.integer(first + 12) != 0, createdAt: try row.timestamp(first + 13),
            expiresAt: try row.timestamp(first + 14), endedAt: try row.optionalTimestamp(first + 15))
    }
}

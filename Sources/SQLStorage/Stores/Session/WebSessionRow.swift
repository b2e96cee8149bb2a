import Bridge
import OAuth2

extension WebSession {
    /// The values of the table's columns, in the order of ``WebSessionSQL``.
    var columns: [SQLValue] {
        [
            SQLValue(id), .text(secretDigest), SQLValue(subject), SQLValue(clientID), SQLValue(appClientID),
            SQLValue(parentID), SQLValue(loginTokenID), .text(opening.rawValue), SQLValue(authentication.time),
            SQLValue(authentication.acr), AuthenticationMethods.encode(authentication.amr), SQLValue(createdAt),
            SQLValue(expiresAt), .integer(idleLifetime.inMilliseconds), SQLValue(lastSeenAt), SQLValue(endedAt),
            lineage.ancestryColumn, SQLValue(lineage.scope?.description), .integer(wantsLogoutNotice ? 1 : 0),
            lineage.appsAboveColumn,
        ]
    }

    /// The values of a new row, in the order of ``WebSessionSQL/insert``.
    /// - Parameter issuedAt: when the login token was issued that it is opened by.
    func newRow(by issuedAt: Timestamp?) -> [SQLValue] {
        columns + [SQLValue(issuedAt), SQLValue(opening == .handOff ? parentID : nil)]
    }

    init(row: SQLRow) throws {
        let opener: SessionID? = try row.optionalIdentifier(5)
        self.init(
            id: try row.identifier(0), secretDigest: try row.text(1),
            lineage: Lineage(
                stored: try row.identifier(2), opening: try row.word(7), ancestry: try row.ancestry(16),
                appsAbove: try row.appsAbove(19), parent: opener.map { .opened(by: $0) } ?? .none,
                scope: try row.optionalText(17) == nil ? nil : try row.scope(17),
                authentication: try row.authentication(8), expiresAt: try row.timestamp(12)),
            clientID: try row.identifier(3), appClientID: try row.optionalIdentifier(4),
            loginTokenID: try row.optionalIdentifier(6), createdAt: try row.timestamp(11),
            idleLifetime: .milliseconds(try row.integer(13)), lastSeenAt: try row.timestamp(14),
            wantsLogoutNotice: try row.integer(18) != 0, endedAt: try row.optionalTimestamp(15))
    }
}

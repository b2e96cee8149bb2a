import Bridge

extension WebSession {
    /// The values of the table's columns, in the order of ``WebSessionSQL``.
    var columns: [SQLValue] {
        [
            SQLValue(id), .text(secretDigest), SQLValue(subject), SQLValue(clientID), SQLValue(appClientID),
            SQLValue(parentID), SQLValue(loginTokenID), .text(opening.rawValue), SQLValue(authentication.time),
            SQLValue(authentication.acr), AuthenticationMethods.encode(authentication.amr), SQLValue(createdAt),
            SQLValue(expiresAt), .integer(idleLifetime.inMilliseconds), SQLValue(lastSeenAt), SQLValue(endedAt),
        ]
    }

    init(row: SQLRow) throws {
        self.init(
            id: try row.identifier(0), secretDigest: try row.text(1), subject: try row.identifier(2),
            clientID: try row.identifier(3), appClientID: try row.optionalIdentifier(4),
            parentID: try row.optionalIdentifier(5), loginTokenID: try row.optionalIdentifier(6),
            opening: try row.word(7),
            authentication: Authentication(
                time: try row.optionalTimestamp(8), acr: try row.optionalText(9),
                amr: try AuthenticationMethods.decode(try row.optionalText(10))),
            createdAt: try row.timestamp(11), expiresAt: try row.timestamp(12),
            idleLifetime: .milliseconds(try row.integer(13)), lastSeenAt: try row.timestamp(14),
            endedAt: try row.optionalTimestamp(15))
    }
}

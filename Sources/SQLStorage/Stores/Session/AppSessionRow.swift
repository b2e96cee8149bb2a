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
            SQLValue(expiresAt), SQLValue(endedAt), SQLValue(grantedElsewhere), lineage.ancestryColumn,
            lineage.appsAboveColumn,
        ]
    }

    /// The browser's session that it was granted in, when it goes on under another.
    private var grantedElsewhere: SessionID? {
        if case .granted(let id) = lineage.parent, id != browserSessionID { id } else { nil }
    }

    /// - Parameter first: the column that the session's own begin at.
    init(row: SQLRow, from first: Int = 0) throws {
        let browser: SessionID? = try row.optionalIdentifier(first + 8)
        let opener: SessionID? = try row.optionalIdentifier(first + 10)
        let origin: SessionID? = try row.optionalIdentifier(first + 16) ?? browser
        self.init(
            id: try row.identifier(first),
            lineage: Lineage(
                stored: try row.identifier(first + 1), opening: try row.word(first + 4),
                ancestry: try row.ancestry(first + 17), appsAbove: try row.appsAbove(first + 18),
                parent: opener.map { .opened(by: $0) } ?? origin.map { .granted(in: $0) } ?? .none,
                scope: try row.scope(first + 3), authentication: try row.authentication(first + 5),
                expiresAt: try row.timestamp(first + 14)),
            clientID: try row.identifier(first + 2), browserSessionID: browser,
            deviceSecretID: try row.optionalIdentifier(first + 9),
            requestedClaims: try row.requestedClaims(first + 11),
            wantsLogoutNotice: try row.integer(first + 12) != 0, createdAt: try row.timestamp(first + 13),
            endedAt: try row.optionalTimestamp(first + 15))
    }
}

extension PresentedDeviceSecret.Session {
    init(row: SQLRow) throws {
        self.init(
            id: try row.identifier(0), subject: try row.identifier(1), clientID: try row.identifier(2),
            opening: try row.word(3), scope: try row.scope(4), expiresAt: try row.timestamp(5))
    }
}

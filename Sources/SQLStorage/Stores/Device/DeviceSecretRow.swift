import Bridge

extension DeviceSecret {
    /// The values of the table's columns, in the order of ``DeviceSecretSQL``.
    var columns: [SQLValue] {
        [
            SQLValue(id), SQLValue(subject), SQLValue(clientID), SQLValue(sessionID), SQLValue(name),
            SQLValue(platform), SQLValue(createdAt), SQLValue(lastUsedAt), .integer(Int64(useCount)),
            SQLValue(expiresAt), SQLValue(keyThumbprint), SQLValue(revokedAt), SQLValue(revokeReason),
        ]
    }

    static let columnCount = 13

    init(row: SQLRow) throws {
        self.init(
            id: try row.identifier(0), subject: try row.identifier(1), clientID: try row.identifier(2),
            sessionID: try row.identifier(3), name: try row.optionalText(4), platform: try row.optionalText(5),
            createdAt: try row.timestamp(6), lastUsedAt: try row.optionalTimestamp(7),
            useCount: try row.count(8), expiresAt: try row.timestamp(9),
            keyThumbprint: try row.optionalText(10), revokedAt: try row.optionalTimestamp(11),
            revokeReason: try row.optionalText(12))
    }
}

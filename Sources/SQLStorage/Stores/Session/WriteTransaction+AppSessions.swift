import Bridge

extension WriteTransaction {
    /// Whether the user may have a session opened now; the answer holds until the commit.
    /// - Parameter held: ``DurableStorage/heldStanding``.
    func isActive(_ subject: Subject, by held: SQLStatement) throws -> Bool {
        try run(held, [SQLValue(subject)]).first?.optionalTimestamp(0) == nil
    }

    func insert(_ session: AppSession, refreshToken: RefreshTokenRecord?) throws {
        try submit(AppSessionSQL.insert, session.columns)
        if let refreshToken { try submit(RefreshTokenSQL.insert, refreshToken.columns) }
    }
}

package import Bridge

extension DurableStorage {
    package func redeem(
        _ token: IssuedLoginToken, opening session: WebSession, refreshDigest: String?, use: LoginTokenUse,
        replacing replaced: [ReplacedSession], events: [AuditEvent]
    ) async throws -> LoginTokenRedeemOutcome {
        let standing = SQLCall(
            heldTokenStanding, [SQLValue(token.subject), SQLValue(token.id), SQLValue(token.issuedAt)])
        let heldParent = session.opening == .handOff ? heldWebSession : heldAppSession
        let parent = session.parentID.map { SQLCall(heldParent, [SQLValue($0)]) }
        let usage: [SQLValue] = [
            SQLValue(use.at), SQLValue(use.sessionID), SQLValue(use.address), SQLValue(use.userAgentDigest),
        ]
        let redeem = SQLCall(LoginTokenSQL.redeem, [SQLValue(token.id)] + usage)
        let insert = SQLCall(WebSessionSQL.insert, session.newRow(by: token.issuedAt))
        let ends = replaced.map { SQLCall(endings.replaceWebSession, [SQLValue($0.id), SQLValue(use.at)]) }
        // A replay's insert writes nothing, since the token's session is in its way.
        let course = [standing, parent, redeem, insert].compactMap(\.self) + ends
        return try await write(anticipating: course, isOfOneUse: true) { [endings] transaction in
            // Asked inside the transaction: a user who was disabled a moment ago must not get in with a token that
            // was checked before. Disabling ends everything of the user, unredeemed tokens too (contract §7). Held,
            // because a disabling on another node must wait, or it would not see the session that is opened here.
            if let row = try transaction.run(standing).first {
                if let disabledAt = try row.optionalTimestamp(0) { return .revoked(at: disabledAt) }
                if let endedAt = try row.optionalTimestamp(1) { return .revoked(at: endedAt) }
            }
            // The same for the app's session, if it is one of ours: what hangs under it must not outlive it.
            if let parent, let row = try transaction.run(parent).first, let endedAt = try row.optionalTimestamp(0) {
                return .revoked(at: endedAt)
            }
            if try !transaction.changes(redeem) {
                // A use that is not on record either may have gone with the issue.
                if try Self.wasLost(token, in: transaction) { return .revoked(at: use.at) }
                guard
                    try transaction.changes(LoginTokenSQL.redeemUnrecorded, token.columns + usage)
                        // Another node may have recorded a miss meanwhile.
                        || transaction.changes(redeem)
                else { return try Self.refusal(of: token.id, in: transaction) }
            }
            guard try transaction.changes(insert) else {
                throw Withdrawn(outcome: try Self.useOfPurgedToken(token, in: transaction))
            }
            for (replaced, end) in zip(replaced, ends) {
                try transaction.settle(replaced, wasAlive: transaction.changes(end), by: session.id, endings)
            }
            if let refreshDigest {
                try transaction.insertSessionRefresh(refreshDigest, of: session, parent: nil, at: use.at)
            }
            for event in events { try transaction.record(event) }
            return .opened
        }
    }

    /// Whether the database was restored to a state in which it knows nothing of the token.
    static func wasLost(_ token: IssuedLoginToken, in transaction: WriteTransaction) throws -> Bool {
        try !transaction.run(RestoreSQL.lost, [SQLValue(token.issuedAt), SQLValue(token.id)]).isEmpty
    }

    private static func refusal(of id: TokenID, in transaction: WriteTransaction) throws -> LoginTokenRedeemOutcome {
        switch try status(of: id, in: transaction) {
        case .redeemed(let use): return .alreadyUsed(use)
        case .revoked(let at): return .revoked(at: at)
        case .pending, nil: throw contradiction
        }
    }

    /// What the session tells of a token whose own row was purged.
    private static func useOfPurgedToken(
        _ token: IssuedLoginToken, in transaction: WriteTransaction
    ) throws -> LoginTokenRedeemOutcome {
        let opened = try transaction.run(WebSessionSQL.openedBy, [SQLValue(token.issuedAt), SQLValue(token.id)])
        guard let row = opened.first else { throw contradiction }
        return .alreadyUsed(
            LoginTokenUse(
                at: try row.timestamp(1), sessionID: try row.identifier(0), address: nil, userAgentDigest: nil))
    }
}

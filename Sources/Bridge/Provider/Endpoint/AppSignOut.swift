import OAuth2

/// An app whose users another issuer signs in ends what was opened from it, by showing at the revocation endpoint the
/// bearer that opened it (contract §7). The bearer itself is its issuer's to revoke.
package final class AppSignOut: Sendable {
    private let bearers: BearerInquiries
    private let endings: SessionEndings

    /// - Parameter bearers: the trusted issuers', each believed about its own users.
    package init(bearers: BearerInquiries, endings: SessionEndings) {
        self.bearers = bearers
        self.endings = endings
    }

    /// For ``TokenRevocation``. A bearer that is no longer good ends nothing: anyone can have an old one.
    package var revocation: TokenRevocation.OtherTokens {
        { token, client, origin, now in
            let bearer: BearerIdentity
            do {
                bearer = try await self.bearers.identity(of: token, from: origin, at: now)
            } catch is BearerRefusal {
                return false
            }
            guard bearer.clientID == client.id else { throw TokenRevocation.notYours(TokenOwner(bearer)) }
            try await self.endings.end(
                .opened(by: client.id, of: bearer.subject, in: bearer.sessionID),
                Ending(
                    at: now, reason: .signedOutInApp, origin: origin,
                    by: EndingAsker(client.id, in: bearer.sessionID)))
            return true
        }
    }
}

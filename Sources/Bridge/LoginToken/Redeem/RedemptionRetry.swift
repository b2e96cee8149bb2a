import OAuth2

/// A redemption that a store could not confirm: it may have been made or not, so the same browser's next attempt must
/// neither be a replay nor open a second session (contract §4.3).
///
/// Carried by the browser, sealed: nothing in it is believed that this service did not put there.
struct RedemptionRetry: Sendable {
    let tokenID: TokenID
    /// The session that the attempt would have opened, or has.
    let sessionID: SessionID
    let secret: OpaqueSecret
    /// The refresh cookie, in the profile `tokens`.
    let refresh: OpaqueSecret?

    /// How long the browser may take.
    static let lifetime = Duration.seconds(60)

    init(_ opened: OpenedSession, tokenID: TokenID) {
        self.tokenID = tokenID
        sessionID = opened.session.id
        secret = opened.secret
        refresh = opened.refresh
    }

    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let token = members["token"]?.string,
            let session = members["session"]?.string,
            let secret = members["secret"]?.string.flatMap({ OpaqueSecret($0, kind: .webSession) })
        else { return nil }
        tokenID = TokenID(rawValue: token)
        sessionID = SessionID(rawValue: session)
        self.secret = secret
        refresh = members["refresh"]?.string.flatMap { OpaqueSecret($0, kind: .sessionRefresh) }
    }

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("token", tokenID.rawValue)
        object.add("session", sessionID.rawValue)
        object.add("secret", secret.expose())
        object.add("refresh", refresh?.expose())
        return object.finish()
    }
}

/// Thrown when it is not known whether a redemption was made.
package struct UndecidedRedemption: Error {
    /// What the browser brings back with its next attempt; see ``RedemptionRequest/retry``.
    package let retry: Secret<String>

    /// How long the browser may take.
    package static var retryLifetime: Duration { RedemptionRetry.lifetime }
}

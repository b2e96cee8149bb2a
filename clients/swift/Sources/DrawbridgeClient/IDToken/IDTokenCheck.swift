import Foundation

/// What an ID token must say in one place (OpenID Connect Core §3.1.3.7, §12.2; Native SSO §3.4). Pure: no clock, no network.
struct IDTokenCheck: Sendable {
    let issuer: IssuerAddress
    let clientID: String
    /// Sent with the sign-in; `nil` where there was none to send: refresh and exchange.
    var nonce: String?
    /// How many seconds ago the person may have proved who they are; `nil` when that was not asked.
    var maximumAge: Int?
    /// The person it must be about; `nil` at a sign-in, where it says who it is.
    var subject: String?
    /// What `at_hash` is of.
    var accessToken: Redacted<String>?
    /// What `ds_hash` must be of; `nil` without Native SSO.
    var deviceSecret: Redacted<String>?

    /// How far two clocks may be apart.
    static let leeway: TimeInterval = 120

    private static func isFresh(_ proved: Date?, _ age: Int, _ now: Date) -> Bool {
        guard let proved else { return false }
        return proved >= now.addingTimeInterval(-TimeInterval(age) - leeway)
    }

    /// The first thing that is wrong; `nil` when the claims fit.
    /// - Parameter now: `nil`: whatever the time is.
    func flaw(in claims: IDTokenClaims, at now: Date?) -> IDTokenFlaw? {
        if claims.issuer != issuer.text { return .issuer }
        if !claims.audience.contains(clientID) { return .audience }
        // With several audiences the token says which of them asked for it.
        if claims.audience.count > 1, claims.authorizedParty != clientID { return .audience }
        if let party = claims.authorizedParty, party != clientID { return .audience }
        if claims.subject.isEmpty { return .malformed }
        if let now, claims.expiresAt <= now.addingTimeInterval(-Self.leeway) { return .expired }
        if let now, claims.issuedAt > now.addingTimeInterval(Self.leeway) { return .issuedInFuture }
        if let nonce, !ConstantTime.equal(claims.nonce ?? "", nonce) { return .nonce }
        // The provider's word that it has done what `max_age` asked for.
        if let maximumAge, let now, !Self.isFresh(claims.authenticatedAt, maximumAge, now) {
            return .authenticationTime
        }
        if let subject, claims.subject != subject { return .subject }
        if let accessToken, let hash = claims.accessTokenHash,
            !ConstantTime.equal(hash, TokenHash.of(accessToken))
        {
            return .accessTokenHash
        }
        // Without `ds_hash` the secret is tied to nothing, and an attacker may have put in their own.
        if let deviceSecret, !ConstantTime.equal(claims.deviceSecretHash ?? "", TokenHash.of(deviceSecret)) {
            return .deviceSecretHash
        }
        return nil
    }
}

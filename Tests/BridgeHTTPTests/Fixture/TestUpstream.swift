import Bridge
import OAuth2

/// An upstream provider that nobody signs in with, and whose logout tokens are words.
struct TestUpstream: UpstreamProvider {
    static let issuer = "https://login.corporate.example"
    /// A logout token that counts: alice of there has left.
    static let left = "alice has left"
    /// One that nobody can judge now.
    static let undecided = "keys are away"

    let id = "corporate"
    let name = "Corporate sign-in"

    func authorizationURL(for request: UpstreamRequest, isFresh: Bool) throws -> String {
        throw StorageError.unavailable("nobody signs in here")
    }

    func user(
        code: Secret<String>, issuer: String?, for request: UpstreamRequest, at now: Timestamp
    ) throws(UpstreamRefusal) -> UpstreamUser {
        throw .badCode
    }

    func reload() {}

    func logoutToken(_ text: String, at now: Timestamp) throws -> LogoutToken {
        switch text {
        case Self.left:
            LogoutToken(
                issuer: Self.issuer, reach: .user("alice"), id: text, madeAfter: now - .seconds(30),
                usableUntil: now + .seconds(150))
        case Self.undecided: throw StorageError.unavailable("the issuer's keys cannot be fetched")
        default: throw LogoutTokenRefusal.badSignature
        }
    }
}

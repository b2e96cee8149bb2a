public import Foundation

/// What the provider tells about the person (OpenID Connect Core §5.1); only what the app may know.
public struct Person: Sendable, Equatable, Decodable {
    /// Unique at the provider, and never given to another person. The only one to know people by.
    public let subject: String
    /// To show.
    public let name: String?
    /// The name they sign in with.
    public let username: String?
    /// May change, and may not be verified.
    public let email: String?

    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case name
        case username = "preferred_username"
        case email
    }
}

/// The device secret and the ID token that came with it, as one app has left them for the others.
struct SharedSignIn: Sendable {
    let deviceSecret: Redacted<String>
    let idToken: Redacted<String>
    /// What the token says. It is not verified here: an expired token is fine, and the provider checks the rest.
    let claims: IDTokenClaims

    /// - Returns: `nil` when the text is not a token.
    init?(deviceSecret: Redacted<String>, idToken: Redacted<String>) {
        guard let claims = try? SignedIDToken(idToken).claims else { return nil }
        self.deviceSecret = deviceSecret
        self.idToken = idToken
        self.claims = claims
    }

    /// Two people may use one device: what the one has left is not to be used for the other, nor ended by them.
    func isOf(_ subject: String) -> Bool { claims.subject == subject }

    /// Whether this app brought it.
    func isFrom(_ clientID: String) -> Bool { claims.audience.contains(clientID) }
}

/// What became of a sign-in without a person.
public enum SilentSignIn: Sendable, Equatable {
    /// The app is signed in.
    case signedIn(IDTokenClaims)
    /// Nothing is wrong: the person signs in through the browser this time.
    case needsSignIn(SilentFallback)
}

/// Why a person is needed.
public enum SilentFallback: Sendable, Equatable {
    /// No app of this device has left a sign-in to share.
    case nothingShared
    /// What was left does not belong together: `ds_hash` is of another secret.
    case partsDoNotFit
    /// The provider says no: the secret was revoked or has expired, this app may not, or consent is missing.
    case refused(OAuthRefusal)
    /// The provider's answer was not believed.
    case notBelieved(IDTokenFlaw)
    /// It did not work out this time: no network, a busy provider, a locked secret store.
    case failed(ClientError)
}

/// An address that signs a browser in, once, for at most a minute. Open it at once; do not log, copy or share it.
public struct LoginLink: Sendable {
    /// What to open.
    public let url: Redacted<URL>
    /// To be sent with the first request: empty, or the token when it is not in the address.
    public let headers: Redacted<[String: String]>
    /// Until when it works.
    public let expiresAt: Date
    /// Six digits to show to the person, who types them into the page; `nil` where the website asks for none.
    /// Never send them along with the link.
    public let code: Redacted<String>?
}

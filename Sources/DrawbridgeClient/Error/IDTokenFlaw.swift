/// Why an ID token is not believed (OpenID Connect Core §3.1.3.7, Native SSO §3.4).
public enum IDTokenFlaw: String, Sendable, Equatable {
    /// The answer should have brought one.
    case missing = "there is none"
    /// It is no JWT, or lacks a claim that every ID token has.
    case malformed = "it cannot be read"
    /// Signed in a way that this client does not take; `none` is among those.
    case algorithm = "it is not signed with ES256"
    /// The provider publishes no such key.
    case unknownKey = "its key is not among the provider's"
    /// The signature does not fit.
    case signature = "its signature does not fit"
    /// Another provider wrote it.
    case issuer = "it is of another provider"
    /// It is meant for another app.
    case audience = "it is meant for another app"
    /// It has expired.
    case expired = "it has expired"
    /// It is from the future: a clock is wrong.
    case issuedInFuture = "it is from the future"
    /// It belongs to another sign-in.
    case nonce = "its nonce is of another sign-in"
    /// It is about another person than before.
    case subject = "it is about somebody else"
    /// It came with another access token.
    case accessTokenHash = "it belongs to another access token"
    /// It belongs to another device secret.
    case deviceSecretHash = "it belongs to another device secret"
}

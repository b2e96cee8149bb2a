import Bridge
import HTTPTypes
import OAuth2

extension AdminRefusal.Reason {
    private static let insufficientScope = "Bearer error=\"insufficient_scope\", scope=\"admin\""
    private static let strongSignIn = AuthenticationChallenge.text(acrValues: [AuthenticationLevel.twoFactors.rawValue])
    private static let freshSignIn = AuthenticationChallenge.text(maximumAge: WebSession.signInFreshness)

    /// What whoever is refused is told: the challenge says what would let them in (RFC 6750 §3.1, RFC 9470 §3).
    var answer: any Error {
        switch self {
        case .missing:
            ChallengedError(
                error: OAuthError(.invalidToken, "an administrator's access token is required"),
                headers: [.wwwAuthenticate: "Bearer"])
        case .invalid: OAuthError(.invalidToken)
        case .notSignedInHere:
            ChallengedError(
                error: OAuthError(.insufficientScope, "this takes a sign-in at this service's own page"),
                headers: [.wwwAuthenticate: Self.insufficientScope])
        case .notAdministrator:
            ChallengedError(
                error: OAuthError(.insufficientScope, "this takes the scope admin, or the role admin"),
                headers: [.wwwAuthenticate: Self.insufficientScope])
        case .secondFactorMissing, .idle:
            OAuthError(
                .insufficientUserAuthentication, "sign in again, with a second factor", challenge: Self.strongSignIn)
        case .secondFactorNotEnrolled:
            OAuthError(
                .insufficientUserAuthentication, "set up a second factor, then sign in with it",
                challenge: Self.strongSignIn)
        case .signInTooOld:
            OAuthError(
                .insufficientUserAuthentication,
                "sign in again: a change takes a sign-in of the last "
                    + "\(WebSession.signInFreshness.roundedUpMinutes) minutes",
                challenge: Self.freshSignIn)
        case .foreignPage:
            OAuthError(
                .forbidden,
                "with a cookie this takes the X-CSRF-Token of a page of the console, or the console's own Origin with "
                    + "JSON, or without a body on PUT, PATCH and DELETE; with an access token it takes neither")
        }
    }
}

import Bridge
import HTTPTypes
import OAuth2

/// What a resource of ours answers to an access token that does not hold (RFC 6750 §3, RFC 9449 §7.1).
enum ResourceChallenge {
    /// Whether the error is about the proof that came with a token.
    static func isAboutProof(_ error: OAuthError) -> Bool {
        error.code == .invalidDPoPProof || error.code == .useDPoPNonce
    }

    /// - Parameter scheme: that the token came with: whoever can make proofs is asked for one.
    static func error(for refusal: BearerRefusal, scheme: PresentedAccessToken.Scheme) -> any Error {
        // The token holds, and another one of the client's would do no more: no reason to fetch one (RFC 6750 §3.1).
        if refusal == .clientsOwnToken {
            return OAuthError(
                .unauthorizedClient, "the access token is a client's own, with no user behind it",
                detail: refusal.reason.rawValue)
        }
        let error = OAuthError(.invalidToken, detail: refusal.reason.rawValue)
        guard scheme == .dpop || refusal == .senderConstrained else { return error }
        return challenged(error)
    }

    static func error(for error: OAuthError) -> any Error { challenged(error) }

    private static func challenged(_ error: OAuthError) -> ChallengedError {
        let algorithms = DPoPProof.algorithms.joined(separator: " ")
        return ChallengedError(
            error: error,
            headers: [.wwwAuthenticate: "DPoP error=\"\(error.code.rawValue)\", algs=\"\(algorithms)\""],
            status: ErrorCode.invalidToken.status)
    }
}

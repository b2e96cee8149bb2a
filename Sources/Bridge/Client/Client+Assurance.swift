import OAuth2

extension Client {
    /// Whether a sign-in is strong and fresh enough for the client (`min_acr`, `max_auth_age`; RFC 9470).
    package func accepts(_ authentication: Authentication, at now: Timestamp) -> Bool {
        if let minimumACR, !AuthenticationLevel.satisfies(authentication.acr, required: minimumACR) { return false }
        guard let maximumAuthenticationAge else { return true }
        guard let time = authentication.time else { return false }
        return now - time <= maximumAuthenticationAge
    }

    /// Tells an app what a sign-in for this client must be like (RFC 9470 §3).
    package var authenticationChallenge: String {
        var challenge = "Bearer error=\"\(ErrorCode.insufficientUserAuthentication.rawValue)\""
        // Only what fits a quoted string as it is; nobody else names a class otherwise (RFC 6749 appendix A).
        if let minimumACR, minimumACR.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            challenge += ", acr_values=\"\(minimumACR)\""
        }
        if let maximumAuthenticationAge {
            challenge += ", max_age=\"\(maximumAuthenticationAge.inMilliseconds / 1000)\""
        }
        return challenge
    }
}

import OAuth2

/// Tells whoever asked with a sign-in that does not suffice what one must be like (RFC 9470 §3).
package enum AuthenticationChallenge {
    /// The value of `WWW-Authenticate`.
    /// - Parameters:
    ///   - acrValues: any of these will do. One that fits no quoted string as it is goes unsaid: other providers name a
    ///     class no other way (RFC 6749 appendix A).
    ///   - maximumAge: how long ago the user may have signed in.
    package static func text(acrValues: [String] = [], maximumAge: Duration? = nil) -> String {
        var challenge = "Bearer error=\"\(ErrorCode.insufficientUserAuthentication.rawValue)\""
        let plain = acrValues.filter { $0.utf8.allSatisfy(ASCII.isNQCharacter) }
        if !plain.isEmpty { challenge += ", acr_values=\"\(plain.joined(separator: " "))\"" }
        if let maximumAge { challenge += ", max_age=\"\(maximumAge.inMilliseconds / 1000)\"" }
        return challenge
    }
}

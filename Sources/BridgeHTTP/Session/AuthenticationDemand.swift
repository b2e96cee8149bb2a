import Bridge
import OAuth2

/// How strong and how fresh a sign-in must be: `?acr=` and `?max_age=` of `/auth/check` (RFC 9470 §3).
struct AuthenticationDemand: Hashable, Sendable {
    /// Any of these will do, and so does what is stronger than one of them; empty means any at all.
    let acrValues: [String]
    /// Seconds since the user was last seen signing in.
    let maximumAge: Int64?

    /// - Parameter parameters: of the check's query.
    /// - Returns: `nil` when nothing is demanded.
    /// - Throws: `OAuthError(.invalidRequest)` for a malformed or repeated parameter. A proxy's configuration that
    ///   means something must never be read as nothing.
    init?(_ parameters: FormParameters) throws {
        for name in ["acr", "max_age"] {
            if parameters.isRepeated(name) { throw OAuthError(.invalidRequest, "\(name) is repeated") }
            if parameters.names.contains(name), parameters[name] == nil { throw Self.malformed(name) }
        }
        acrValues = try parameters["acr"].map { try Self.acrValues($0) } ?? []
        maximumAge = try parameters["max_age"].map { try Self.seconds($0) }
        if acrValues.isEmpty && maximumAge == nil { return nil }
    }

    func isMet(by authentication: Authentication, at now: Timestamp) -> Bool {
        Self.isAny(of: acrValues, metBy: authentication.acr) && acceptsAge(of: authentication, at: now)
    }

    /// Whether the sign-in is fresh enough, however weak it is.
    func acceptsAge(of authentication: Authentication, at now: Timestamp) -> Bool {
        guard let maximumAge else { return true }
        return authentication.isFresh(within: .seconds(maximumAge), at: now)
    }

    /// Whether an `acr` is as strong as one of these; any is where there are none.
    static func isAny(of acrValues: [String], metBy acr: String?) -> Bool {
        acrValues.isEmpty || acrValues.contains { AuthenticationLevel.satisfies(acr, required: $0) }
    }

    /// RFC 9470 §3.
    /// - Parameters:
    ///   - acrValues: any of these will do; one that fits no quoted string as it is goes unsaid.
    ///   - maximumAge: in seconds.
    static func challenge(acrValues: [String], maximumAge: Int64?) -> String {
        var challenge = "Bearer error=\"\(ErrorCode.insufficientUserAuthentication.rawValue)\""
        let plain = acrValues.filter { $0.utf8.allSatisfy(ASCII.isNQCharacter) }
        if !plain.isEmpty { challenge += ", acr_values=\"\(plain.joined(separator: " "))\"" }
        if let maximumAge { challenge += ", max_age=\"\(maximumAge)\"" }
        return challenge
    }

    /// Space-separated, each of NQCHAR (RFC 6749 appendix A), so they fit a quoted string unescaped.
    static func acrValues(_ text: String) throws -> [String] {
        let values = text.split(separator: " ", omittingEmptySubsequences: false)
        guard values.count <= 16,
            values.allSatisfy({ value in
                (1...255).contains(value.utf8.count) && value.utf8.allSatisfy(ASCII.isNQCharacter)
            })
        else { throw malformed("acr") }
        return values.map(String.init)
    }

    private static func seconds(_ text: String) throws -> Int64 {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit),
            let seconds = Int64(text)
        else { throw malformed("max_age") }
        return seconds
    }

    private static func malformed(_ name: String) -> OAuthError {
        OAuthError(.invalidRequest, "\(name) is malformed")
    }
}

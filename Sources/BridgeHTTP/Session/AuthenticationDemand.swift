import Bridge
import OAuth2

/// How strong and how fresh a sign-in must be: `?acr=` and `?max_age=` of `/auth/check` (RFC 9470 §3).
struct AuthenticationDemand: Hashable, Sendable {
    /// Any of these will do, and so does what is stronger than one of them; empty means any at all.
    let acrValues: [String]
    /// How long ago the user may have been seen signing in.
    let maximumAge: Duration?

    /// - Returns: `nil` when nothing is demanded.
    /// - Throws: `OAuthError(.invalidRequest)` for a malformed parameter. A proxy's configuration that means something
    ///   must never be read as nothing.
    init?(_ parameters: CheckParameters) throws {
        for name in ["acr", "max_age"] where parameters.contains(name) && parameters[name] == nil {
            throw Self.malformed(name)
        }
        acrValues = try parameters["acr"].map { try Self.acrValues($0) } ?? []
        maximumAge = try parameters["max_age"].map { .seconds(try Self.seconds($0)) }
        if acrValues.isEmpty && maximumAge == nil { return nil }
    }

    func isMet(by authentication: Authentication, at now: Timestamp) -> Bool {
        AuthenticationLevel.satisfies(authentication.acr, anyOf: acrValues) && acceptsAge(of: authentication, at: now)
    }

    /// Whether the sign-in is fresh enough, however weak it is.
    func acceptsAge(of authentication: Authentication, at now: Timestamp) -> Bool {
        maximumAge.map { authentication.isFresh(within: $0, at: now) } ?? true
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
        guard let seconds = ASCII.decimal(text) else { throw malformed("max_age") }
        return Int64(seconds)
    }

    private static func malformed(_ name: String) -> OAuthError {
        OAuthError(.invalidRequest, "\(name) is malformed")
    }
}

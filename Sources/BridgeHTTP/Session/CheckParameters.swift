import OAuth2

/// The query of `/auth/check`, read strictly: a proxy's configuration that means something must never be read as
/// nothing.
enum CheckParameters {
    private static let known: Set<String> = [
        "acr", "max_age", "identity", SignInWay.wanted, CheckedWebsite.parameter,
    ]
    /// Other names of a demand: RFC 9470 §4 and OpenID Connect have `acr_values`, which our own challenge prints, and
    /// settings have `min_acr` and `max_auth_age`.
    private static let foreign: Set<String> = ["acrvalues", "acrvalue", "minacr", "maxauthage"]
    private static let plainKnown = Set(known.map(plain))

    /// - Throws: `invalid_request` for any parameter that occurs twice, and for a name that can only be meant for one
    ///   of these. Others pass: proxies add names of their own.
    static func check(_ parameters: FormParameters) throws {
        guard !parameters.hasRepeated else { throw OAuthError(.invalidRequest, "a parameter is repeated") }
        for name in parameters.names where !known.contains(name) {
            let spelling = plain(name)
            guard !plainKnown.contains(spelling), !foreign.contains(spelling) else {
                throw OAuthError.unknown(name, as: "parameter of this check", known: known)
            }
        }
    }

    /// A name without what is often written otherwise: `Max-Age` for `max_age`.
    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." && $0 != " " }
    }
}

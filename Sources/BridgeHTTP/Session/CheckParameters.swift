import OAuth2

/// The query of `/auth/check`, read strictly: a proxy's configuration that means something must never be read as
/// nothing. Each parameter is there once at most.
struct CheckParameters: Sendable {
    private let parameters: FormParameters

    private static let known: Set<String> = [
        "acr", "max_age", "identity", SignInWay.wanted, CheckedWebsite.parameter,
    ]
    /// Other names of a demand: RFC 9470 §4 and OpenID Connect have `acr_values`, which our own challenge prints, and
    /// settings have `min_acr` and `max_auth_age`.
    private static let foreign: Set<String> = ["acrvalues", "acrvalue", "minacr", "maxauthage"]
    private static let plainKnown = Set(known.map(plain))

    /// - Throws: `invalid_request` for any parameter that occurs twice, and for a name that can only be meant for one
    ///   of these. Others pass: proxies add names of their own.
    init(_ parameters: FormParameters) throws {
        try parameters.checkUnique()
        for name in parameters.names where !Self.known.contains(name) {
            let spelling = Self.plain(name)
            guard !Self.plainKnown.contains(spelling), !Self.foreign.contains(spelling) else {
                throw OAuthError.unknown(name, as: "parameter of this check", known: Self.known)
            }
        }
        self.parameters = parameters
    }

    func contains(_ name: String) -> Bool { parameters.names.contains(name) }

    /// The value as text; `nil` when absent, empty or not UTF-8.
    subscript(_ name: String) -> String? { parameters[name] }

    /// The value's bytes; `nil` when absent or empty.
    func bytes(_ name: String) -> [UInt8]? { parameters.bytes(name) }

    /// A name without what is often written otherwise: `Max-Age` for `max_age`.
    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." && $0 != " " }
    }
}

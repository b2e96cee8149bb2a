/// What the owner of the phone may tell websites.
public struct Profile: Sendable {
    /// The claims by name, as the owner says them.
    public let claims: [String: JSONValue]
    /// What others say of the owner and signed.
    public let statements: [Statement]

    /// Names with a meaning of their own in a token: a claim of such a name would say it for us.
    static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "azp", "auth_time", "acr", "amr", "at_hash", "c_hash",
        "s_hash", "cnf", "sub_jwk", "user_id", "user_jwk", "sid", "i_am_siop", "_claim_names", "_claim_sources",
    ]

    /// The longest claim, as text: websites drop longer ones.
    static let maximumClaim = 1024

    /// Nothing to tell: known by the key alone.
    public static let empty = Profile(claims: [:], statements: [])

    private init(claims: [String: JSONValue], statements: [Statement]) {
        self.claims = claims
        self.statements = statements
    }

    /// Reads `{"claims": {"name": …}, "statements": ["eyJ…"]}`, or the claims alone: `{"name": …}`.
    /// - Throws: a refusal of the stage `store` that says what is wrong with it.
    public init(json: [UInt8]) throws(PhoneRefusal) {
        guard let whole = JSONValue(json: json)?.members else { throw Self.unusable("it is a JSON object") }
        let parts: Set = ["claims", "statements"]
        let members = parts.isDisjoint(with: whole.keys) ? ["claims": .object(whole)] : whole
        guard members.keys.allSatisfy(parts.contains) else {
            throw Self.unusable("beside claims and statements it has no members")
        }
        guard let claims = (members["claims"] ?? .object([:])).members else {
            throw Self.unusable("claims is an object")
        }
        for (name, value) in claims {
            guard !Self.reserved.contains(name) else { throw Self.unusable("\(name) is no claim of a person") }
            guard value != .null, value.text.utf8.count <= Self.maximumClaim else {
                throw Self.unusable("\(name) is null, or longer than \(Self.maximumClaim) bytes")
            }
        }
        guard case .array(let listed) = members["statements"] ?? .array([]) else {
            throw Self.unusable("statements is a list of signed texts")
        }
        var statements: [Statement] = []
        for (index, item) in listed.enumerated() {
            guard let statement = item.string.flatMap(Statement.init) else {
                throw Self.unusable("statement \(index + 1) is no signed JWT that names its issuer and says something")
            }
            statements.append(statement)
        }
        self.init(claims: claims, statements: statements)
    }

    private static func unusable(_ words: String) -> PhoneRefusal {
        PhoneRefusal(.profileUnusable, "the profile: \(words)")
    }
}

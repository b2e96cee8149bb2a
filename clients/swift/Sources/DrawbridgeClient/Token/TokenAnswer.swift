/// A success of the token endpoint (RFC 6749 §5.1). Not printed by anybody: the members are taken out at once.
struct TokenAnswer: Decodable, Sendable {
    let accessToken: Redacted<String>
    /// Whether it is worth nothing without a key (RFC 9449 §5).
    let isBound: Bool
    let expiresIn: Double?
    let refreshToken: Redacted<String>?
    let idToken: Redacted<String>?
    let deviceSecret: Redacted<String>?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case deviceSecret = "device_secret"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func secret(_ key: CodingKeys) throws -> Redacted<String>? {
            try members.decodeIfPresent(String.self, forKey: key).map { Redacted($0) }
        }
        accessToken = Redacted(try members.decode(String.self, forKey: .accessToken))
        // A token of a type that we do not know must not be used (RFC 6749 §7.1).
        let type = try members.decode(String.self, forKey: .tokenType).lowercased()
        guard type == "bearer" || type == "dpop" else {
            throw DecodingError.dataCorruptedError(forKey: .tokenType, in: members, debugDescription: "unknown type")
        }
        isBound = type == "dpop"
        expiresIn = try members.decodeIfPresent(Double.self, forKey: .expiresIn)
        refreshToken = try secret(.refreshToken)
        idToken = try secret(.idToken)
        deviceSecret = try secret(.deviceSecret)
    }
}

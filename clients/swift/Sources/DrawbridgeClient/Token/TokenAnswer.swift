/// A success of the token endpoint (RFC 6749 §5.1). Never printed: the members are taken out at once.
struct TokenAnswer: Decodable, Sendable {
    let accessToken: Redacted<String>
    /// Whether it is worth nothing without a key (RFC 9449 §5).
    let isBound: Bool
    let expiresIn: Double?
    let refreshToken: Redacted<String>?
    let idToken: Redacted<String>?
    let deviceSecret: Redacted<String>?
    /// What was granted; `nil` when the answer does not say.
    let scope: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case deviceSecret = "device_secret"
        case scope
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func refuse(_ key: CodingKeys, unless holds: Bool) throws {
            guard !holds else { return }
            throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "not of its grammar")
        }
        // Absent it may be, but not empty, nor null.
        func secret(_ key: CodingKeys) throws -> Redacted<String>? {
            guard members.contains(key) else { return nil }
            let text = try members.decode(String.self, forKey: key)
            try refuse(key, unless: !text.isEmpty)
            return Redacted(text)
        }
        let token = try members.decode(String.self, forKey: .accessToken)
        // It goes into a header; one with a line break would write headers of its own (RFC 6749 appendix A.12).
        try refuse(.accessToken, unless: !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        accessToken = Redacted(token)
        // A token of a type that we do not know must not be used (RFC 6749 §7.1).
        let type = try members.decode(String.self, forKey: .tokenType).lowercased()
        try refuse(.tokenType, unless: type == "bearer" || type == "dpop")
        isBound = type == "dpop"
        let life = members.contains(.expiresIn) ? try members.decode(Double.self, forKey: .expiresIn) : nil
        try refuse(.expiresIn, unless: life.map { $0 > 0 && $0.isFinite } ?? true)
        expiresIn = life
        refreshToken = try secret(.refreshToken)
        idToken = try secret(.idToken)
        deviceSecret = try secret(.deviceSecret)
        scope = (try? members.decode(String.self, forKey: .scope)).flatMap { $0.isEmpty ? nil : $0 }
    }
}

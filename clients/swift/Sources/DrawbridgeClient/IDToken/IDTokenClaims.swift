public import Foundation

/// What an ID token says (OpenID Connect Core §2, Native SSO §3.3).
public struct IDTokenClaims: Sendable, Equatable {
    /// Who wrote it.
    public let issuer: String
    /// Who signed in. Unique at the issuer, and never given to another person.
    public let subject: String
    /// For which apps it is.
    public let audience: [String]
    /// Until when it counts.
    public let expiresAt: Date
    /// When it was written.
    public let issuedAt: Date
    /// When the person last proved who they are.
    public let authenticatedAt: Date?
    /// How strongly.
    public let level: String?
    /// By what means.
    public let methods: [String]
    /// The session at the provider.
    public let sessionID: String?
    let authorizedParty: String?
    let nonce: String?
    let accessTokenHash: String?
    let deviceSecretHash: String?
}

extension IDTokenClaims: Decodable {
    private enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expiresAt = "exp"
        case issuedAt = "iat"
        case authenticatedAt = "auth_time"
        case level = "acr"
        case methods = "amr"
        case sessionID = "sid"
        case authorizedParty = "azp"
        case nonce
        case accessTokenHash = "at_hash"
        case deviceSecretHash = "ds_hash"
    }

    /// Reads the claims of a token's payload.
    public init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        func instant(_ key: CodingKeys) throws -> Date? {
            try claims.decodeIfPresent(Double.self, forKey: key).map(Date.init(timeIntervalSince1970:))
        }
        issuer = try claims.decode(String.self, forKey: .issuer)
        subject = try claims.decode(String.self, forKey: .subject)
        if let one = try? claims.decode(String.self, forKey: .audience) {
            audience = [one]
        } else {
            audience = try claims.decode([String].self, forKey: .audience)
        }
        expiresAt = Date(timeIntervalSince1970: try claims.decode(Double.self, forKey: .expiresAt))
        issuedAt = Date(timeIntervalSince1970: try claims.decode(Double.self, forKey: .issuedAt))
        authenticatedAt = try instant(.authenticatedAt)
        level = try claims.decodeIfPresent(String.self, forKey: .level)
        methods = try claims.decodeIfPresent([String].self, forKey: .methods) ?? []
        sessionID = try claims.decodeIfPresent(String.self, forKey: .sessionID)
        authorizedParty = try claims.decodeIfPresent(String.self, forKey: .authorizedParty)
        nonce = try claims.decodeIfPresent(String.self, forKey: .nonce)
        accessTokenHash = try claims.decodeIfPresent(String.self, forKey: .accessTokenHash)
        deviceSecretHash = try claims.decodeIfPresent(String.self, forKey: .deviceSecretHash)
    }
}

extension IDTokenClaims: Encodable {
    /// Writes the claims as a token's payload has them.
    public func encode(to encoder: any Encoder) throws {
        var claims = encoder.container(keyedBy: CodingKeys.self)
        try claims.encode(issuer, forKey: .issuer)
        try claims.encode(subject, forKey: .subject)
        try claims.encode(audience, forKey: .audience)
        try claims.encode(expiresAt.timeIntervalSince1970, forKey: .expiresAt)
        try claims.encode(issuedAt.timeIntervalSince1970, forKey: .issuedAt)
        try claims.encodeIfPresent(authenticatedAt?.timeIntervalSince1970, forKey: .authenticatedAt)
        try claims.encodeIfPresent(level, forKey: .level)
        try claims.encode(methods, forKey: .methods)
        try claims.encodeIfPresent(sessionID, forKey: .sessionID)
        try claims.encodeIfPresent(authorizedParty, forKey: .authorizedParty)
        try claims.encodeIfPresent(nonce, forKey: .nonce)
        try claims.encodeIfPresent(accessTokenHash, forKey: .accessTokenHash)
        try claims.encodeIfPresent(deviceSecretHash, forKey: .deviceSecretHash)
    }
}

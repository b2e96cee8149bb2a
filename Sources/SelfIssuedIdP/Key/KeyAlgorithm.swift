/// What a phone signs with.
public enum KeyAlgorithm: String, Sendable, CaseIterable, Codable {
    /// P-256 with SHA-256: small and fast, what every reader of self-issued tokens of today takes.
    case es256 = "ES256"
    /// RSA, 2048 bits: for readers that know only what OpenID Connect demanded of all.
    case rs256 = "RS256"
}

/// Keeps the keys, one for each website. The app brings it: a key chain, a secure element, files.
public protocol KeyStore: Sendable {
    /// Whether there is a key for this website, without asking for a PIN.
    func holds(_ website: Website) async throws(PhoneRefusal) -> Bool
    /// The key of this website.
    func key(of website: Website) async throws(PhoneRefusal) -> PhoneKey?
    /// Keeps a new key. When there is one already, that one stays.
    /// - Returns: the key that is kept.
    func keep(_ key: PhoneKey, for website: Website, at now: Int64) async throws(PhoneRefusal) -> PhoneKey
}

/// What may be shown of a key.
public struct KeptKey: Sendable {
    /// Whose.
    public let website: String
    /// The key's kind.
    public let algorithm: KeyAlgorithm
    /// Who the owner is to that website.
    public let thumbprint: String
    /// The public key, as a JWK.
    public let jwk: JSONValue
    /// Seconds since 1970.
    public let createdAt: Int64
    /// Whether a PIN is needed to use it.
    public let isSealed: Bool
}

import Crypto

/// The provider's public keys for ES256 (RFC 7517); keys of other kinds are passed over.
struct KeySet: Decodable, Sendable {
    /// One key, as it is in the set.
    struct Key: Decodable, Sendable {
        let kid: String?
        let kty: String?
        let crv: String?
        let use: String?
        let alg: String?
        let x: String?
        let y: String?

        /// The key, when it is one for ES256 signatures.
        var publicKey: P256.Signing.PublicKey? {
            guard kty == "EC", crv == "P-256", use ?? "sig" == "sig", alg ?? "ES256" == "ES256",
                let x = x.flatMap({ Base64URL.decode($0) }), let y = y.flatMap({ Base64URL.decode($0) }),
                x.count == 32, y.count == 32
            else { return nil }
            return try? P256.Signing.PublicKey(rawRepresentation: x + y)
        }
    }

    let keys: [Key]

    /// The key of this id.
    func key(_ id: String) -> Key? { keys.first { $0.kid == id } }
}

import Crypto
import CryptoExtras
import Foundation

/// The key pair by which one website, and no other, knows this person.
public struct PhoneKey: Sendable, CustomStringConvertible, CustomReflectable {
    private enum Key {
        case p256(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    private let key: Key
    /// What the website gets to see.
    public let publicKey: PublicKey
    /// Whether the owner chose its kind, whatever the website wished for: then the wish does not count later either. A
    /// store keeps it with the key; where one does not, the owner chooses each time.
    public var isOwnersChoice = false

    /// A new key.
    public init(_ algorithm: KeyAlgorithm) throws(PhoneRefusal) {
        switch algorithm {
        case .es256: self.init(P256.Signing.PrivateKey())
        case .rs256:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw PhoneRefusal(.algorithmUnsupported, "no RSA key can be made here")
            }
            try self.init(key)
        }
    }

    /// A key that was kept.
    /// - Returns: `nil` when the octets are not a key of this algorithm.
    public init?(_ algorithm: KeyAlgorithm, secret: Redacted<[UInt8]>) {
        switch algorithm {
        case .es256:
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: secret.expose()) else { return nil }
            self.init(key)
        case .rs256:
            guard let key = try? _RSA.Signing.PrivateKey(derRepresentation: secret.expose()),
                let read = try? PhoneKey(key)
            else { return nil }
            self = read
        }
    }

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = .p256(key)
        publicKey = PublicKey(key.publicKey)
    }

    private init(_ key: _RSA.Signing.PrivateKey) throws(PhoneRefusal) {
        self.key = .rsa(key)
        publicKey = try PublicKey(key.publicKey)
    }

    /// For a store: 32 octets for P-256, PKCS #8 for RSA.
    public var secret: Redacted<[UInt8]> {
        switch key {
        case .p256(let key): Redacted(Array(key.rawRepresentation))
        case .rsa(let key): Redacted(Array(key.pkcs8DERRepresentation))
        }
    }

    /// Its thumbprint: never the key.
    public var description: String { publicKey.thumbprint }

    /// Never shows the key.
    public var customMirror: Mirror { Mirror(reflecting: description) }

    /// A compact JWS (RFC 7515 §3.1) over the claims.
    func sign(_ claims: [String: JSONValue]) throws(PhoneRefusal) -> String {
        let header = JSONValue.object(["alg": .string(publicKey.algorithm.rawValue), "typ": .string("JWT")])
        let input = [header, .object(claims)].map { Base64URL.encode($0.text.utf8) }.joined(separator: ".")
        guard let signature = try? signature(of: Data(input.utf8)) else {
            throw PhoneRefusal(.storeUnusable, "the key of this website does not sign")
        }
        return "\(input).\(Base64URL.encode(signature))"
    }

    private func signature(of message: Data) throws -> Data {
        switch key {
        case .p256(let key): try key.signature(for: message).rawRepresentation
        case .rsa(let key): try key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}

import Crypto
import CryptoExtras
import Foundation

/// A public key as a JSON Web Key writes it, by the members that count and no others (RFC 7517, RFC 7518 §6).
public struct PublicKey: Sendable {
    private enum Key {
        case p256(P256.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    private let key: Key
    /// The required members alone, as ``thumbprint`` is over them.
    let members: JSONValue

    init(_ key: P256.Signing.PublicKey) {
        let point = Array(key.rawRepresentation)
        self.key = .p256(key)
        members = .object([
            "kty": .string("EC"), "crv": .string("P-256"), "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ])
    }

    init(_ key: _RSA.Signing.PublicKey) throws(PhoneRefusal) {
        guard let parts = try? key.getKeyPrimitives() else {
            throw PhoneRefusal(.algorithmUnsupported, "an RSA key whose parts cannot be read")
        }
        self.key = .rsa(key)
        members = .object([
            "kty": .string("RSA"), "n": .string(Base64URL.encode(parts.modulus)),
            "e": .string(Base64URL.encode(parts.publicExponent)),
        ])
    }

    /// Reads another party's key.
    /// - Returns: `nil` when it is not a key of ``KeyAlgorithm``, is too weak, or is not in the one right spelling.
    init?(jwk: JSONValue) {
        func octets(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap(Base64URL.decode) }
        switch jwk["kty"]?.string {
        case "EC":
            guard jwk["crv"]?.string == "P-256", let x = octets("x"), let y = octets("y"), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(x963Representation: [0x04] + x + y)
            else { return nil }
            self.init(key)
        case "RSA":
            guard let n = octets("n"), let e = octets("e"), n.first != 0, (256...1024).contains(n.count),
                e == [1, 0, 1], let key = try? _RSA.Signing.PublicKey(n: n, e: e)
            else { return nil }
            guard let read = try? PublicKey(key) else { return nil }
            self = read
        default: return nil
        }
    }

    /// What signatures by this key are made with: the key decides, never a token's header (RFC 8725 §3.1).
    public var algorithm: KeyAlgorithm {
        switch key {
        case .p256: .es256
        case .rsa: .rs256
        }
    }

    /// The JWK in RFC 7638's form: members in order, no spaces. One spelling for a key, so it can be a name.
    public var text: String { members.text }

    /// Who the holder is to a website, in every form of the token (RFC 7638 §3).
    public var thumbprint: String { Base64URL.encode(SHA256.hash(data: Data(text.utf8))) }

    /// Whether this key signed `message`; ES256 as 64 octets (RFC 7518 §3.4).
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch key {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: Data(message))
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: Data(message),
                padding: .insecurePKCS1v1_5)
        }
    }
}

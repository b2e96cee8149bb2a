import Crypto
import CryptoExtras
import OAuth2

@testable import Bridge

/// A browser with an authenticator: answers ceremonies as a real one does, and as none should where a test says so.
struct SoftAuthenticator: Sendable {
    static let origin = "https://bridge.example"

    /// Of each kind that is taken.
    enum Key: Sendable {
        case es256(P256.Signing.PrivateKey)
        case edDSA(Curve25519.Signing.PrivateKey)
        case rs256(_RSA.Signing.PrivateKey)

        /// The public half as an authenticator writes it (RFC 9052 §7).
        var cose: [UInt8] {
            get throws {
                switch self {
                case .es256(let key):
                    let point = Array(key.publicKey.rawRepresentation)
                    return [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[..<32]
                        + [0x22, 0x58, 0x20] + point[32...]
                case .edDSA(let key):
                    return [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20]
                        + key.publicKey.rawRepresentation
                case .rs256(let key):
                    let parts = try key.publicKey.getKeyPrimitives()
                    let modulus = [UInt8(parts.modulus.count >> 8), UInt8(parts.modulus.count & 0xFF)] + parts.modulus
                    let exponent = [0x40 + UInt8(parts.publicExponent.count)] + parts.publicExponent
                    let head: [UInt8] = [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59]
                    return head + modulus + [0x21] + exponent
                }
            }
        }

        /// As the assertion carries it (Web Authentication §6.5.5).
        func signature(of message: [UInt8]) throws -> [UInt8] {
            switch self {
            case .es256(let key): Array(try key.signature(for: SHA256.hash(data: message)).derRepresentation)
            case .edDSA(let key): Array(try key.signature(for: message))
            case .rs256(let key):
                Array(
                    try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
            }
        }
    }

    var key = Key.es256(P256.Signing.PrivateKey())
    var id = RandomSource.system.bytes(32)
    var relyingParty = "bridge.example"
    var origin = SoftAuthenticator.origin
    var isUserPresent = true
    var isUserVerified = true
    /// Whether the credential may be kept elsewhere as well, and is (§6.1.3).
    var (mayBeBackedUp, isBackedUp) = (false, false)
    var count: UInt32 = 0
    /// Members of the client data, in the place of what a browser says.
    var saying: [String: JSONValue] = [:]
    /// What the authenticator knows the user by.
    var userHandle = ""
    /// What it puts behind its data.
    var appended: [UInt8] = []
    var format = "none"

    /// The answer to a request for a new passkey, as the page's form sends it.
    func make(_ challenge: PasskeyChallenge) throws -> MadePasskey? {
        let credential =
            [UInt8](repeating: 0, count: 16) + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id + (try key.cose)
        let data = head(flags: 0x40) + credential + appended
        // The shortest form, as CTAP 2 wants it.
        let length: [UInt8] =
            data.count < 256 ? [0x58, UInt8(data.count)] : [0x59, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
        let attestation =
            [0xA3, 0x63] + Array("fmt".utf8) + [0x60 + UInt8(format.utf8.count)] + Array(format.utf8) + [0x67]
            + Array("attStmt".utf8) + [0xA0, 0x68] + Array("authData".utf8)
            + length + data
        return MadePasskey(
            try form([
                "client_data": clientData("webauthn.create", challenge), "attestation": Base64URL.encode(attestation),
            ]))
    }

    /// The answer to a request for a passkey.
    /// - Parameter signer: who signs it; `nil` for the passkey's own key.
    func use(_ challenge: PasskeyChallenge, signedBy signer: Key? = nil) throws
        -> PasskeyAssertion?
    {
        let data = head(flags: 0) + appended
        let said = clientData("webauthn.get", challenge)
        let message = data + Array(SHA256.hash(data: Base64URL.decode(said) ?? []))
        let signature = try (signer ?? key).signature(of: message)
        return PasskeyAssertion(
            try form([
                "credential": Base64URL.encode(id), "client_data": said, "authenticator_data": Base64URL.encode(data),
                "signature": Base64URL.encode(signature), "user_handle": userHandle,
            ]))
    }

    private func head(flags: UInt8) -> [UInt8] {
        let backup: UInt8 = (mayBeBackedUp ? 8 : 0) | (isBackedUp ? 16 : 0)
        let all = flags | (isUserPresent ? 1 : 0) | (isUserVerified ? 4 : 0) | backup
        return Array(SHA256.hash(data: Array(relyingParty.utf8))) + [all]
            + (0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * $0)) }
    }

    private func clientData(_ type: String, _ challenge: PasskeyChallenge) -> String {
        let members: [String: JSONValue] = [
            "type": .string(type), "challenge": .string(challenge.text), "origin": .string(origin),
            "crossOrigin": .bool(false),
        ]
        return Base64URL.encode(Array(JSONValue.object(members.merging(saying) { $1 }).text.utf8))
    }

    private func form(_ fields: [String: String]) throws -> FormParameters {
        try FormParameters(parsing: fields.map { "\($0.key)=\($0.value)" }.joined(separator: "&").utf8)
    }
}

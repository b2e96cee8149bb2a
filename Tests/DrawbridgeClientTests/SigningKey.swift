import Crypto
import Foundation

/// Signs ID tokens as a provider does, rightly or wrongly.
struct SigningKey: Sendable {
    let id: String
    let key = P256.Signing.PrivateKey()

    var publicKey: [String: String] {
        let point = key.publicKey.rawRepresentation
        return [
            "kid": id, "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256",
            "x": Self.text(point.prefix(32)), "y": Self.text(point.dropFirst(32)),
        ]
    }

    func token(_ claims: [String: any Sendable], algorithm: String = "ES256", keyID: String? = nil) -> String {
        let signed = "\(Self.json(["alg": algorithm, "kid": keyID ?? id])).\(Self.json(claims))"
        guard algorithm != "none" else { return "\(signed)." }
        if algorithm == "HS256" {
            let secret = SymmetricKey(data: key.publicKey.rawRepresentation)
            return "\(signed).\(Self.text(HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: secret)))"
        }
        let signature = (try? key.signature(for: Data(signed.utf8)))?.rawRepresentation ?? Data()
        return "\(signed).\(Self.text(signature))"
    }

    /// The left half of a SHA-256, as `ds_hash` and `at_hash` have it.
    static func hash(_ text: String) -> String { self.text(SHA256.hash(data: Data(text.utf8)).prefix(16)) }

    private static func json(_ object: [String: any Sendable]) -> String {
        text((try? JSONSerialization.data(withJSONObject: object)) ?? Data())
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

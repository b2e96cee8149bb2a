import JWTKit
import OAuth2

/// Turns a public JWK (RFC 7517) into a key bound to algorithms.
enum JSONWebKey {
    /// - Parameter allowed: the algorithms pinned for the issuer.
    /// - Returns: `nil` for a key that is not for verifying, not understood, too weak, malformed or not allowed; such
    ///   keys are passed over (RFC 7517 §5).
    static func verificationKey(
        _ members: [String: JSONValue], allowed: Set<SignatureAlgorithm>
    ) async -> VerificationKey? {
        // A private key in a public set has leaked: whoever read it can sign.
        guard isForVerifying(members), members["d"] == nil, let type = members["kty"]?.string else { return nil }
        if let value = members["kid"], value.string == nil { return nil }
        var algorithms = fitting(type: type, curve: members["crv"]?.string).intersection(allowed)
        if let value = members["alg"] {
            guard let pinned = value.string.flatMap(SignatureAlgorithm.init(rawValue:)) else { return nil }
            algorithms.formIntersection([pinned])
        }
        guard !algorithms.isEmpty, isWellFormed(members, type: type) else { return nil }
        var verifiers: [SignatureAlgorithm: any SignatureVerifier] = [:]
        for algorithm in algorithms {
            guard let verifier = await verifier(members, type: type, algorithm: algorithm) else { return nil }
            verifiers[algorithm] = verifier
        }
        return VerificationKey(keyID: members["kid"]?.string, verifiers: verifiers)
    }

    private static func isForVerifying(_ members: [String: JSONValue]) -> Bool {
        if let use = members["use"], use.string != "sig" { return false }
        if let operations = members["key_ops"] {
            guard let operations = operations.strings, operations.contains("verify") else { return false }
        }
        return true
    }

    // `oct` is missing on purpose: a shared secret never comes out of a public key set.
    private static func fitting(type: String, curve: String?) -> Set<SignatureAlgorithm> {
        switch (type, curve) {
        case ("RSA", nil): [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case ("EC", "P-256"): [.es256]
        case ("EC", "P-384"): [.es384]
        case ("EC", "P-521"): [.es512]
        case ("OKP", "Ed25519"): [.eddsa]
        default: []
        }
    }

    private static func isWellFormed(_ members: [String: JSONValue], type: String) -> Bool {
        func bytes(_ name: String) -> [UInt8]? { members[name]?.string.flatMap { Base64URL.decode($0) } }
        switch type {
        case "RSA":
            // 2048 bits at least; 8192 at most and a short odd exponent, since both decide what a verification costs.
            guard let modulus = bytes("n"), let exponent = bytes("e"), let last = exponent.last else { return false }
            return (256...1024).contains(modulus.count) && modulus[0] != 0 && exponent.count <= 4
                && exponent[0] != 0 && last & 1 == 1 && exponent != [1]
        case "EC":
            let length = ["P-256": 32, "P-384": 48, "P-521": 66][members["crv"]?.string ?? ""]
            return bytes("x")?.count == length && bytes("y")?.count == length
        default:
            return bytes("x")?.count == 32
        }
    }

    // A collection for each key and algorithm: a shared one falls back to its first key for an unknown `kid`, and keeps
    // the algorithm that a token asked for first.
    private static func verifier(
        _ members: [String: JSONValue], type: String, algorithm: SignatureAlgorithm
    ) async -> (any SignatureVerifier)? {
        guard let name = JWK.Algorithm(rawValue: algorithm.rawValue) else { return nil }
        let identifier = JWKIdentifier(string: "key")
        let key: JWK =
            switch type {
            case "RSA":
                .rsa(name, identifier: identifier, modulus: members["n"]?.string, exponent: members["e"]?.string)
            case "EC":
                .ecdsa(
                    name, identifier: identifier, x: members["x"]?.string, y: members["y"]?.string,
                    curve: members["crv"]?.string.flatMap(ECDSACurve.init(rawValue:)))
            default:
                .octetKeyPair(name, identifier: identifier, x: members["x"]?.string, y: nil, curve: .ed25519)
            }
        guard let collection = try? await JWTKeyCollection().add(jwk: key),
            let found = try? await collection.getKey(for: identifier)
        else { return nil }
        return PublicKeyVerifier(algorithm: found)
    }
}

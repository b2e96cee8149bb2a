import Bridge
import Testing

@testable import OAuth2

/// An app's key for DPoP proofs.
struct ProofKey: Sendable {
    let key: SigningKey

    init() throws { key = try SigningKey.generate(.es256) }

    var thumbprint: String { key.id }

    /// A right proof, but for what is changed.
    func proof(
        id: String, method: String = "POST", path: String = "/oauth/token", at: Timestamp, token: Secret<String>? = nil,
        nonce: String? = nil, claims changes: [String: JSONValue] = [:]
    ) throws -> PresentedProof {
        let jwk = (key.publicKey.jwk(id: "", algorithm: .es256).object ?? [:])
            .filter { ["kty", "crv", "x", "y"].contains($0.key) }
        let header = JSONValue.object([
            "typ": .string("dpop+jwt"), "alg": .string("ES256"), "jwk": .object(jwk),
        ])
        var claims: [String: JSONValue] = [
            "jti": .string(id), "htm": .string(method), "htu": .string(issuerName + path),
            "iat": .number(String(at.seconds)),
        ]
        claims["ath"] = token.map { .string(DPoPProof.hash(ofToken: $0.expose())) }
        claims["nonce"] = nonce.map(JSONValue.string)
        claims.merge(changes) { $1 }
        let message =
            Base64URL.encode(Array(header.text.utf8)) + "."
            + Base64URL.encode(Array(JSONValue.object(claims).text.utf8))
        let text = message + "." + Base64URL.encode(try key.signature(for: Array(message.utf8)))
        return PresentedProof(fields: [text], method: method, path: path)
    }
}

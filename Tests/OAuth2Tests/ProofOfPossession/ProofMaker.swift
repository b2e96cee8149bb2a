import Testing

@testable import OAuth2

/// Makes DPoP proofs, right ones and wrong ones.
struct ProofMaker {
    static let target = "https://id.example.com/oauth/token"

    let key: SigningKey

    init(_ algorithm: SigningAlgorithm = .es256) throws { key = try SigningKey.generate(algorithm) }

    var jwk: JSONValue {
        guard var members = key.publicKey.jwk(id: "", algorithm: key.algorithm).object else { return .null }
        for name in ["kid", "use", "alg"] { members[name] = nil }
        return .object(members)
    }

    var header: [String: JSONValue] {
        ["typ": .string("dpop+jwt"), "alg": .string(key.algorithm.rawValue), "jwk": jwk]
    }

    static let claims: [String: JSONValue] = [
        "jti": .string("-BwC3ESc6acc2lTc"), "htm": .string("POST"), "htu": .string(target),
        "iat": .number("1763708400"),
    ]

    func proof(
        header change: [String: JSONValue?] = [:], claims changes: [String: JSONValue?] = [:]
    ) throws -> String {
        var header = header
        for (name, value) in change { header[name] = value }
        var claims = Self.claims
        for (name, value) in changes { claims[name] = value }
        return try sign(JSONValue.object(header).text, JSONValue.object(claims).text)
    }

    func sign(_ header: String, _ claims: String) throws -> String {
        let message = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return message + "." + Base64URL.encode(try key.signature(for: Array(message.utf8)))
    }

    /// What reading a text comes to.
    static func flaw(_ text: String) -> DPoPRefusal? {
        do {
            _ = try DPoPProof(text)
            return nil
        } catch {
            return error
        }
    }
}

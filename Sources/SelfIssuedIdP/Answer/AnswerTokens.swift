import Crypto
import Foundation

/// Writes the tokens of an answer, in each form. The audience stands in every one of them: without it a website could
/// hand another's nonce to the phone, and sign in there as its owner.
struct AnswerTokens {
    let request: SelfIssuedRequest
    let key: PhoneKey
    let told: [ClaimOffer]
    let now: Int64
    let random: RandomSource

    /// Long enough for a slow page, and no longer.
    private static let lifetime: Int64 = 300

    /// The parameters of the answer, in order, without `state`.
    func parameters() throws(PhoneRefusal) -> [(name: String, value: String)] {
        switch request.form {
        case .binding2012: try binding2012()
        case .core: [("id_token", try key.sign(core()))]
        case .v2: [("id_token", try key.sign(v2()))]
        }
    }

    private func binding2012() throws(PhoneRefusal) -> [(name: String, value: String)] {
        let name = JSONValue.string(key.publicKey.text)
        let accessToken = Base64URL.encode(random.bytes(32))
        let shared = common(audience: request.clientID.text).merging(["iss": name, "user_id": name]) { $1 }
        let half = Array(SHA256.hash(data: Data(accessToken.utf8))).prefix(16)
        let identity = shared.merging([
            "sub": .string(key.publicKey.thumbprint), "at_hash": .string(Base64URL.encode(half)),
        ]) { $1 }
        return [
            ("access_token", accessToken), ("token_type", "Bearer"), ("expires_in", "\(Self.lifetime)"),
            ("id_token", try key.sign(identity)),
            ("userinfo_token", try key.sign(shared.merging(claims) { old, _ in old })),
        ]
    }

    private func core() -> [String: JSONValue] {
        identity(
            issuer: "https://self-issued.me", subject: key.publicKey.thumbprint, audience: request.returnAddress.text)
    }

    private func v2() -> [String: JSONValue] {
        let name = "\(AnswerForm.thumbprintURN):sha-256:\(key.publicKey.thumbprint)"
        return identity(issuer: name, subject: name, audience: request.clientID.text)
    }

    private func identity(issuer: String, subject: String, audience: String) -> [String: JSONValue] {
        common(audience: audience).merging([
            "iss": .string(issuer), "sub": .string(subject), "sub_jwk": key.publicKey.members,
        ]) { $1 }.merging(claims) { old, _ in old }
    }

    private func common(audience: String) -> [String: JSONValue] {
        [
            "aud": .string(audience), "nonce": .string(request.nonce), "iat": .integer(now),
            "exp": .integer(now + Self.lifetime),
        ]
    }

    /// What the owner says, and what others say of the owner (OpenID Connect Core §5.6.2).
    private var claims: [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        var names: [String: JSONValue] = [:]
        var sources: [String: JSONValue] = [:]
        for offer in told {
            switch offer.source {
            case .own(let value): for name in offer.names { claims[name] = value }
            case .statement(let statement):
                let source = "src\(sources.count + 1)"
                sources[source] = .object(["JWT": .string(statement.text)])
                for name in offer.names { names[name] = .string(source) }
            }
        }
        if !sources.isEmpty {
            claims["_claim_names"] = .object(names)
            claims["_claim_sources"] = .object(sources)
        }
        return claims
    }
}

import Crypto
import Foundation
import JWTKit
import OAuth2

@testable import Bridge

extension FuzzTarget {
    static let tokens = [
        FuzzTarget("jws", jws), FuzzTarget("jwk", jwk), FuzzTarget("dpop", dpop),
        FuzzTarget(waiting: "login-token", loginToken), FuzzTarget("self-issued-token", selfIssuedToken),
    ]

    private struct Claims: JWTPayload {
        let value: JSONValue

        init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// There is one spelling, and where jwt-kit reads the token as well, it reads the same.
    private static let jws: @Sendable ([UInt8]) -> String? = { input in
        guard let token = CompactJWS(text(input)) else { return nil }
        let spelled = token.message + [UInt8(ascii: ".")] + Base64URL.encode(token.signature).utf8
        guard spelled == Array(text(input).utf8) else { return "a second spelling" }
        guard token.header["crit"] == nil else { return "an extension that nobody knows" }
        guard let claims = token.claims,
            let theirs = try? DefaultJWTParser().parse(input, as: Claims.self)
        else { return nil }
        guard Array(theirs.signature) == token.signature else { return "jwt-kit reads another signature" }
        guard theirs.header.alg == token.algorithm else { return "jwt-kit reads another algorithm" }
        guard theirs.header.kid == token.keyID else { return "jwt-kit reads another key id" }
        for name in ["iss", "sub", "aud", "jti", "nonce"] {
            guard theirs.payload.value.object?[name]?.string == claims[name]?.string else {
                return "jwt-kit reads another \(name)"
            }
        }
        return nil
    }

    /// A key that was read is read again from what we write of it, under one name, and takes no signature of chance.
    private static let jwk: @Sendable ([UInt8]) -> String? = { input in
        if let key = VerificationKey(subjectPublicKeyInfo: input),
            VerificationKey(jwk: key.bareJWK, for: Set(SignatureAlgorithm.allCases))?.thumbprint != key.thumbprint
        {
            return "an X.509 key has two names"
        }
        guard let value = JSONValue.parse(bytes: input) else { return nil }
        for key in VerificationKey.all(inSet: value) + [VerificationKey(jwk: value)].compactMap(\.self) {
            guard let again = VerificationKey(jwk: key.bareJWK), again.thumbprint == key.thumbprint else {
                return "a key has two names"
            }
            for algorithm in SignatureAlgorithm.allCases where key.isValid(input, for: input, by: algorithm) {
                return "it takes its own text as a signature"
            }
        }
        return nil
    }

    // Keys that everybody knows: what is tried is the way behind the signature.
    private static let key = try? SigningKey(algorithm: .es256, privateBytes: Array(repeating: 7, count: 32))
    private static let now = Timestamp(seconds: 1_795_000_000)

    private static func signed(_ payload: [UInt8], header: String, by key: SigningKey) -> String? {
        let message = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
        guard let secret = try? P256.Signing.PrivateKey(rawRepresentation: key.privateBytes),
            let signature = try? secret.signature(for: Array(message.utf8))
        else { return nil }
        return message + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }

    /// As it comes, and as the claims of a proof with a good signature.
    private static let dpop: @Sendable ([UInt8]) -> String? = { input in
        if (try? DPoPProof(text(input))) != nil, input.count < 200 { return "too short for a signature" }
        guard let key else { return "no key" }
        let header = #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(key.publicKey.bareJWK.text)}"#
        guard let token = signed(input, header: header, by: key), let proof = try? DPoPProof(token) else { return nil }
        guard proof.keyThumbprint == key.id else { return "another key" }
        guard let claims = JSONValue.parse(bytes: input)?.object else { return "claims that are no object" }
        guard (1...128).contains(proof.id.utf8.count), proof.issuedAt.isFinite else { return "a claim out of bounds" }
        if proof.flaw(method: "POST", targets: ["https://www.example.com/token"]) == nil {
            guard claims["htm"]?.string == "POST" else { return "for another method" }
            guard let target = claims["htu"]?.string?.lowercased(), target.hasPrefix("https://www.example.com"),
                let path = URLComponents(string: claims["htu"]?.string ?? "")?.path, path == "/token"
            else { return "for another address" }
        }
        return nil
    }

    private static let ring = SecretKeyRing(keys: [
        SecretKey(
            id: "k1", secret: Secret(Array(repeating: 9, count: 32)), signsFrom: Timestamp(seconds: 0), retiresAt: nil)
    ])

    /// Nobody makes a token without the key; with it, what we read is what we would write.
    private static let loginToken: @Sendable ([UInt8]) async -> String? = { input in
        let codec = LoginTokenCodec(issuer: "https://www.example.com", keys: Reloadable(ring))
        switch try? await codec.verify(Secret(text(input)), at: now) {
        case .refused?: break
        default: return "a token that nobody signed"
        }
        guard let claims = LoginTokenPayload.decode(input) else { return nil }
        guard LoginTokenPayload.decode(Array(LoginTokenPayload.encode(claims).utf8)) == claims else {
            return "written and read again it says something else"
        }
        guard let token = codec.sign(payload: text(input), keyID: "k1", at: now)?.token else { return "not signed" }
        switch try? await codec.verify(token, at: now) {
        case .verified(let found)?:
            guard found == claims, found.issuer == "https://www.example.com", now < found.expiresAt else {
                return "verified as another token"
            }
        case .expired(let found)?: if found.expiresAt > now { return "expired too early" }
        case .refused(let reason)?:
            let lives = claims.expiresAt.seconds.subtractingReportingOverflow(claims.issuedAt.seconds)
            let isShort = !lives.overflow && lives.partialValue <= 60
            if reason == .badSignature || reason == .unknownKey { return "its own signature is refused" }
            if reason == .malformed, isShort, input == Array(text(input).utf8), input.count < 4096 {
                return "refused for nothing"
            }
        case nil: return "asked for a key that it has"
        }
        return nil
    }

    private static let terms = SelfIssuedTerms(
        audiences: ["https://www.example.com"], nonces: ["n-0S6_WzA2Mj"], now: now)

    /// As a form, and as the claims of a token with a good signature by a key of ours: whoever is accepted is that key,
    /// for us, for this nonce.
    private static let selfIssuedToken: @Sendable ([UInt8]) -> String? = { input in
        if let form = try? FormParameters(bytes: input), let token = try? SelfIssuedToken(answer: form, terms: terms),
            token.thumbprint.utf8.count != 43
        {
            return "a subject that is no thumbprint"
        }
        guard let key, var claims = JSONValue.parse(bytes: input)?.object else { return nil }
        // The fuzzer cannot guess a key; it can leave ours out.
        if claims["sub_jwk"]?.isNull ?? false { claims["sub_jwk"] = key.publicKey.bareJWK }
        if claims["sub"]?.isNull ?? false { claims["sub"] = .string(key.id) }
        let payload = Array(JSONValue.object(claims).text.utf8)
        guard let token = signed(payload, header: #"{"alg":"ES256"}"#, by: key),
            let form = try? FormParameters(bytes: Array("id_token=\(token)".utf8)),
            let found = try? SelfIssuedToken(answer: form, terms: terms)
        else { return nil }
        guard found.thumbprint == key.id else { return "another subject than the key" }
        guard let nonce = claims["nonce"]?.string, terms.nonces?.contains(nonce) ?? false
        else { return "for another nonce" }
        let audiences = claims["aud"]?.oneOrMore ?? []
        guard audiences.contains(where: { same($0, "https://www.example.com") }) else { return "for another website" }
        return nil
    }
}

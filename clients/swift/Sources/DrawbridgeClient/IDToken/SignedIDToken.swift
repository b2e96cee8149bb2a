import Crypto
import Foundation

/// An ID token taken apart, not believed yet.
struct SignedIDToken: Sendable {
    let keyID: String
    let claims: IDTokenClaims
    private let signed: Redacted<[UInt8]>
    private let signature: [UInt8]

    /// - Throws: ``ClientError/idToken(_:)`` for what is not a JWT, or one of another algorithm than ES256.
    init(_ token: Redacted<String>) throws(ClientError) {
        let parts = token.expose().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: Data(head)),
            let claims = try? JSONDecoder().decode(IDTokenClaims.self, from: Data(body))
        else { throw .idToken(.malformed) }
        // Settled here, not by the token: `none` and HS256 with a public key are the classic ways around a signature.
        guard header.alg == "ES256", header.crit == nil else { throw .idToken(.algorithm) }
        guard let keyID = header.kid else { throw .idToken(.unknownKey) }
        self.keyID = keyID
        self.claims = claims
        self.signature = signature
        signed = Redacted(Array("\(parts[0]).\(parts[1])".utf8))
    }

    /// Whether this key signed it.
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: signed.expose())
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
        let crit: [String]?
    }
}

/// The signature algorithms of tokens that we sign, a few of ``SignatureAlgorithm`` (RFC 7518 §3, RFC 8037).
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    case es256 = "ES256"
    case rs256 = "RS256"
    case edDSA = "EdDSA"
}

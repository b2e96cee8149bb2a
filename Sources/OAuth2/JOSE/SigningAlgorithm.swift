/// What we sign tokens with (RFC 7518 §3, RFC 8037); what we verify is ``SignatureAlgorithm``.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    case es256 = "ES256"
    case rs256 = "RS256"
    case edDSA = "EdDSA"
}

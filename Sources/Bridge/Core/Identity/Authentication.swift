/// How and when the user authenticated (OpenID Connect Core §2): carried along the chain, never raised.
package struct Authentication: Hashable, Sendable {
    /// When the user last authenticated actively; `nil` when the issuer did not say.
    package let time: Timestamp?
    /// Authentication context class reference.
    package let acr: String?
    /// Authentication methods references (RFC 8176).
    package let amr: [String]

    package init(time: Timestamp? = nil, acr: String? = nil, amr: [String] = []) {
        self.time = time
        self.acr = acr
        self.amr = amr
    }
}

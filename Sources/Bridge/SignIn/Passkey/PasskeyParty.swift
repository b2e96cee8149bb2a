import OAuth2

/// The relying party (Web Authentication §4): the host at which a passkey is made and used.
package struct PasskeyParty: Hashable, Sendable {
    package let origin: WebOrigin

    /// - Returns: `nil` where browsers have none: without TLS but for `localhost`, and under an address that is not a
    ///   name.
    package init?(_ origin: WebOrigin) {
        guard origin.isSecure || origin.isLoopback, !origin.host.hasPrefix("["),
            NetworkAddress(origin.host) == nil
        else { return nil }
        self.origin = origin
    }

    package var id: String { origin.host }

    func isMeant(by data: AuthenticatorStatement) -> Bool {
        ConstantTime.equals(data.relyingPartyHash, SHA256Hash(of: id).bytes)
    }
}

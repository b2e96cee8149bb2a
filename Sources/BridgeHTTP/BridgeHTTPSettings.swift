package import Bridge

/// What the HTTP side is told at the start.
package struct BridgeHTTPSettings: Sendable {
    /// The origins under which browsers reach us.
    package var origins: Origins
    /// Paths that redeem; the first is the one that links name.
    package var redemptionPaths: [String]
    /// Where a person without a link signs in: a path or an absolute URL.
    package var signInURL: String
    package var siteName: String
    package var trustedProxies: [NetworkPrefix]
    /// Whether a request that came over no IP connection is believed about its client: one in process, in tests. No
    /// listener of ours takes any.
    package var trustsPeersWithoutAddress: Bool
    package var appLinks: AppLinkSettings

    package init(
        origins: Origins, redemptionPaths: [String] = [LoginTokenSettings.redemptionPath], signInURL: String = "/",
        siteName: String = "Drawbridge", trustedProxies: [NetworkPrefix] = [],
        trustsPeersWithoutAddress: Bool = false, appLinks: AppLinkSettings = AppLinkSettings()
    ) {
        self.origins = origins
        self.redemptionPaths = redemptionPaths
        self.signInURL = signInURL
        self.siteName = siteName
        self.trustedProxies = trustedProxies
        self.trustsPeersWithoutAddress = trustsPeersWithoutAddress
        self.appLinks = appLinks
    }

    /// Where login links lead, and websites without an origin of their own are.
    package var publicOrigin: WebOrigin { origins.website }

    /// The header's value: for a year browsers insist on TLS. `nil` over plain HTTP, where RFC 6797 §7.2 forbids it.
    package var strictTransportSecurityValue: String? { publicOrigin.isSecure ? "max-age=31536000" : nil }
}

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
    /// Whether peers on a Unix domain socket count as trusted proxies.
    package var trustsLocalSocket: Bool
    package var appLinks: AppLinkSettings
    /// How long browsers insist on TLS; sent for an `https` origin only. `nil` sends none.
    package var strictTransportSecurity: Duration?

    package init(
        origins: Origins, redemptionPaths: [String] = [LoginTokenSettings.redemptionPath], signInURL: String = "/",
        siteName: String = "Drawbridge", trustedProxies: [NetworkPrefix] = [], trustsLocalSocket: Bool = false,
        appLinks: AppLinkSettings = AppLinkSettings(), strictTransportSecurity: Duration? = .seconds(31_536_000)
    ) {
        self.origins = origins
        self.redemptionPaths = redemptionPaths
        self.signInURL = signInURL
        self.siteName = siteName
        self.trustedProxies = trustedProxies
        self.trustsLocalSocket = trustsLocalSocket
        self.appLinks = appLinks
        self.strictTransportSecurity = strictTransportSecurity
    }

    /// Where login links lead, and websites without an origin of their own are.
    package var publicOrigin: WebOrigin { origins.website }

    /// The header's value; RFC 6797 §7.2 forbids it over plain HTTP.
    package var strictTransportSecurityValue: String? {
        guard publicOrigin.isSecure, let strictTransportSecurity else { return nil }
        return "max-age=\(strictTransportSecurity.components.seconds)"
    }
}

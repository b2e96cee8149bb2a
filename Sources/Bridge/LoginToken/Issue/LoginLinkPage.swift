/// The page that a login link leads to, where its token is used up.
package struct LoginLinkPage: Hashable, Sendable, CustomStringConvertible {
    package let origin: WebOrigin
    package let path: String

    package var description: String { origin.description + path }
}

extension LoginTokenSettings {
    /// The page of a website's links (contract §3, §4.3, §4.5, §4.6).
    func page(of website: Client, isHandOff: Bool) -> LoginLinkPage {
        // The session that answers a website's own sign-in must be where the provider is.
        if website.landing == .initiateLogin { return LoginLinkPage(origin: issuer, path: redemptionPath) }
        guard let origin = website.publicOrigin else {
            return LoginLinkPage(origin: publicOrigin, path: redemptionPath)
        }
        // Of a hand-off no server makes a session, so the website's own page could do nothing with it.
        if isHandOff { return LoginLinkPage(origin: origin, path: redemptionPath) }
        if let page = website.redemptionPage { return LoginLinkPage(origin: origin, path: page) }
        return LoginLinkPage(origin: reaches(website, at: origin) ? publicOrigin : origin, path: redemptionPath)
    }

    /// Whether a session whose cookie is at our own origin signs in at a website elsewhere: a relying party sends its
    /// visitor here, and cookies are the same for every port of a host and for the hosts of a `cookie_domain`.
    private func reaches(_ website: Client, at origin: WebOrigin) -> Bool {
        !website.redirectURIs.isEmpty || origin.host == publicOrigin.host
            || (website.setsCookies(at: origin.host) && website.setsCookies(at: publicOrigin.host))
    }
}

/// The page that a login link leads to, where its token is used up.
package struct LoginLinkPage: Hashable, Sendable, CustomStringConvertible {
    package let origin: WebOrigin
    package let path: String

    package var description: String { origin.description + path }
}

extension LoginLinkPage {
    /// The page of a website's links (contract §3, §4.3, §4.5, §4.6). The server at its origin sees the token, and the cookies
    /// of what it opens.
    /// - Parameters:
    ///   - publicOrigin: our own, where websites are that have no other.
    ///   - issuer: where the provider is.
    ///   - path: of our own page.
    package static func of(
        _ website: Client, isHandOff: Bool, publicOrigin: WebOrigin, issuer: WebOrigin,
        path: String = LoginTokenSettings.redemptionPath
    ) -> LoginLinkPage {
        // The session that answers a website's own sign-in must be where the provider is.
        if website.landing == .initiateLogin { return LoginLinkPage(origin: issuer, path: path) }
        guard let origin = website.publicOrigin else { return LoginLinkPage(origin: publicOrigin, path: path) }
        // Of a hand-off no server makes a session, so the website's own page could do nothing with it.
        if isHandOff { return LoginLinkPage(origin: origin, path: path) }
        if let page = website.redemptionPage { return LoginLinkPage(origin: origin, path: page) }
        if website.landsAtSignIn(besides: publicOrigin) { return LoginLinkPage(origin: issuer, path: path) }
        let isSeenHere = website.signsIn(at: origin, byCookiesOf: publicOrigin)
        return LoginLinkPage(origin: isSeenHere ? publicOrigin : origin, path: path)
    }
}

extension Client {
    /// Whether a session whose cookie is at our own origin signs in at this website elsewhere: a relying party sends its
    /// visitor here, and others see the cookie themselves.
    fileprivate func signsIn(at origin: WebOrigin, byCookiesOf ours: WebOrigin) -> Bool {
        !redirectURIs.isEmpty || hasCommonCookies(at: origin, ours)
    }
}

extension LoginTokenSettings {
    func page(of website: Client, isHandOff: Bool) -> LoginLinkPage {
        .of(website, isHandOff: isHandOff, publicOrigin: publicOrigin, issuer: issuer, path: redemptionPath)
    }
}

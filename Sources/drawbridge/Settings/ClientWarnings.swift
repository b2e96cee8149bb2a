import Bridge
import BridgeHTTP
import OAuth2

/// What is probably not meant in the clients of a settings file, but not a reason to refuse the start.
struct ClientWarnings {
    /// One sentence for each; none holds a secret.
    let sentences: [String]

    init(in settings: DrawbridgeSettings) {
        let lacking = settings.clients.enumerated().filter(\.element.lacksSecret).map { index, client in
            "clients[\(index)].client_secret_digest is missing, so that \(client.id) can never authenticate at the token "
                + "endpoint: `drawbridge clients secret` makes a secret and this line (for a client with keys of its "
                + "own, set token_endpoint_auth_method: private_key_jwt and jwks or jwks_uri)."
        }
        sentences =
            lacking + Self.unknownNames(in: settings) + Self.defaultWebsite(in: settings)
            + Self.linkingApps(in: settings) + Self.unclaimedLinks(in: settings) + Self.unusedClaims(in: settings)
            + Self.foreignAddresses(in: settings) + Self.deadEnds(in: settings)
            + Self.lackingPortal(in: settings) + Self.unansweredSignIns(in: settings)
            + Self.placelessParties(in: settings)
    }

    /// One that no login token leads to: apps that name no website are refused (contract §4.1).
    private static func defaultWebsite(in settings: DrawbridgeSettings) -> [String] {
        let setting = SiteSettings.defaultWebClient.key.name
        return settings.clients.filter { $0.id == settings.site.defaultWebClient }.compactMap { client in
            if client.kind != .web {
                return "\(setting) names \(client.id), which is not a website (client_type: web), so no app can open "
                    + "it."
            }
            guard client.returnPaths.defaultPath == nil, client.redirectURIs.isEmpty else { return nil }
            return "\(setting) names \(client.id), which has neither return_paths nor redirect_uris, so no app can "
                + "open it."
        }
    }

    /// Redeeming takes a client that authenticates (contract §4.4), unless a proxy leads the page to Drawbridge.
    private static func deadEnds(in settings: DrawbridgeSettings) -> [String] {
        settings.clients.enumerated().compactMap { index, client in
            guard let page = client.redemptionPage, !settings.site.redemptionPaths.contains(page) else { return nil }
            let lack: String
            switch client.authenticationMethod {
            case .none: lack = "token_endpoint_auth_method is none"
            case .clientSecretBasic, .clientSecretPost:
                guard client.secretDigest == nil, !client.lacksSecret else { return nil }
                lack = "client_secret_digest is missing"
            case .privateKeyJWT: return nil
            }
            return "clients[\(index)].redemption_page leads the login links of \(client.id) to \(page), whose server "
                + "cannot redeem them, since \(lack): redeeming takes a client that authenticates."
        }
    }

    /// `/session/sign-in` would lead to the sign-in page and back for ever (contract §4.6). A website with a page of its
    /// own for login links may have a sign-in of its own, too.
    private static func lackingPortal(in settings: DrawbridgeSettings) -> [String] {
        let origins = settings.origins
        let named = settings.site.defaultWebClient
        let portal = settings.clients.first { $0.id == named }
        // Where visitors sign in elsewhere, no session at the issuer's origin is wanted (docs/sign-in.md).
        if let page = settings.site.signInURL, page != SignInPath.page, page != SignInPath.begin { return [] }
        // One of the database may be a portal.
        guard settings.provider.isEnabled, named == nil || portal != nil else { return [] }
        return settings.clients.enumerated().compactMap { index, client in
            let own = client.publicOrigin ?? origins.website
            guard own != origins.issuer, client.needsPortal(besides: origins.issuer), client.redemptionPage == nil,
                client.returnPaths.defaultPath != nil
            else { return nil }
            if let portal, portal.isPortal, portal.opens(client) { return nil }
            let remedy =
                named.map { "set portal: true and may_reach with \(client.id) for \($0)" }
                ?? "let default_web_client name a website with portal: true that has \(client.id) in may_reach"
            return "clients[\(index)]: who signs in at \(origins.issuer) is not signed in at \(own), the origin of "
                + "\(client.id): \(remedy)."
        }
    }

    /// A login link opens a session, and the relying party's own sign-in asks for another (contract §4.5, §16.3). A page of
    /// its own for login links redeems them itself.
    private static func unansweredSignIns(in settings: DrawbridgeSettings) -> [String] {
        let origins = settings.origins
        guard settings.provider.isEnabled else { return [] }
        return settings.clients.enumerated().compactMap { index, client in
            guard client.kind == .web, !client.redirectURIs.isEmpty, client.returnPaths.defaultPath != nil,
                client.redemptionPage == nil, !client.landsAtSignIn(besides: origins.website)
            else { return nil }
            // Cookies ignore ports.
            let isSeen = client.cookieProfile == .session && origins.website.host == origins.issuer.host
            guard !isSeen else { return nil }
            let remedy =
                client.cookieProfile == .tokens
                ? "only sessions of cookie_profile: session do" : "with landing: initiate_login it does"
            return "clients[\(index)]: what the login links of \(client.id) open does not answer its own sign-in "
                + "(redirect_uris), so that who comes by a link is asked to sign in where it begins one: \(remedy)."
        }
    }

    /// Its links land at our own origin, and what they open counts for its own requests alone (contract §16.3).
    private static func placelessParties(in settings: DrawbridgeSettings) -> [String] {
        let origins = settings.origins
        return settings.clients.enumerated().compactMap { index, client in
            guard client.publicOrigin == nil, client.returnPaths.defaultPath != nil, client.landing == .returnPath,
                client.isForeignRelyingParty(besides: origins.all)
            else { return nil }
            return "clients[\(index)]: the login links of \(client.id) land at \(origins.website), where what they "
                + "open signs nobody in, because its redirect_uris are elsewhere: set public_origin, or first_party: "
                + "true for one of your own."
        }
    }

    /// A scheme is nobody's: who takes it can answer in the user's browser, and have their own key linked.
    private static func unclaimedLinks(in settings: DrawbridgeSettings) -> [String] {
        guard let configuration = settings.selfIssued.configuration, !configuration.isLinkClaimed else { return [] }
        return [
            "\(SelfIssuedSettings.enabled.key.name) without app_links: any app on a user's device may take openid: links, "
                + "and get a key of its own linked to the user's account. Where app_links.apple or app_links.android "
                + "names your app, keys are linked by links that open that app alone."
        ]
    }

    /// Phones would ask their owners for what nobody reads.
    private static func unusedClaims(in settings: DrawbridgeSettings) -> [String] {
        let usual = SelfIssuedConfiguration.usualClaims
        let unused = settings.selfIssued.configuration?.claims.filter { !usual.contains($0) } ?? []
        guard !unused.isEmpty else { return [] }
        return [
            "\(SelfIssuedSettings.claims.key.name) has \(unused.joined(separator: ", ")): phones ask their owners for it, "
                + "and nothing becomes of it here, where only email and name are kept."
        ]
    }

    /// A phone shows nothing in a website's name that is at another's host, and compares hosts as this does.
    private static func foreignAddresses(in settings: DrawbridgeSettings) -> [String] {
        guard let configuration = settings.selfIssued.configuration else { return [] }
        let own = configuration.origin.host
        let named = [
            (SelfIssuedSettings.logoURL.key.name, configuration.logoURL),
            (SelfIssuedSettings.policyURL.key.name, configuration.policyURL),
        ]
        return named.compactMap { name, url in
            guard let url else { return nil }
            let authority = url.dropFirst("https://".count).prefix { $0 != "/" }
            guard authority.prefix(while: { $0 != ":" }).lowercased() != own else { return nil }
            return "\(name) leads to another host than \(own), the issuer's: phones drop such an address, so it has no "
                + "effect."
        }
    }

    /// Nothing bounds what a linked key signs in, so nobody should be able to pass for the app that links it.
    private static func linkingApps(in settings: DrawbridgeSettings) -> [String] {
        let named = settings.selfIssued.configuration?.linkingApps ?? []
        let setting = SelfIssuedSettings.linkingApps.key.name
        return settings.clients.filter { named.contains($0.id) }.compactMap { client in
            if client.kind != .native { return "\(setting) names \(client.id), which is not an app." }
            guard client.redirectURIs.contains(where: { $0.kind == .privateUse }) else { return nil }
            return "\(setting) names \(client.id), which has a redirect address that any app on a phone "
                + "may take (RFC 8252 §8.6): claimed https addresses are its own."
        }
    }

    /// Such a client may be in the database, which is not read here.
    private static func unknownNames(in settings: DrawbridgeSettings) -> [String] {
        let known = Set(settings.clients.map(\.id))
        let linking = (settings.selfIssued.configuration?.linkingApps ?? []).sorted { $0.rawValue < $1.rawValue }
        var named = linking.map { (SelfIssuedSettings.linkingApps.key.name, $0) }
        for (index, client) in settings.clients.enumerated() {
            named += client.mayReach.sorted { $0.rawValue < $1.rawValue }.map { ("clients[\(index)].may_reach", $0) }
            named += client.shareWith.sorted { $0.rawValue < $1.rawValue }.map { ("clients[\(index)].share_with", $0) }
        }
        func words(_ place: String, _ id: ClientID, otherwise: String) -> String {
            "\(place) names \(id), which is not a client of the settings; \(otherwise) unless the database has one."
        }
        let target = settings.site.defaultWebClient.flatMap { known.contains($0) ? nil : $0 }
        return [target.map { words("default_web_client", $0, otherwise: "no server starts") }].compactMap(\.self)
            + named.filter { !known.contains($0.1) }.map { words($0, $1, otherwise: "it has no effect") }
    }
}

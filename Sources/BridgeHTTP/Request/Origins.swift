package import Bridge

/// The origins that browsers reach this service under, and what answers at each (contract §16).
///
/// A session, a form and a page belong to one origin, so a script in a page of the website gets at nothing that the
/// provider or the console shows at another.
package struct Origins: Sendable {
    /// What an address is for.
    package struct Purposes: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Login links, and the sessions that they open.
        package static let website = Purposes(rawValue: 1)
        /// Sign-in, authorization, consent, the user's own account.
        package static let provider = Purposes(rawValue: 2)
        /// The console and the administration API, with the sign-in to them.
        package static let console = Purposes(rawValue: 4)
        package static let all: Purposes = [.website, .provider, .console]
    }

    package let website: WebOrigin
    package let issuer: WebOrigin
    package let admin: WebOrigin
    /// Whether each answers for itself alone; otherwise everything answers under every host.
    package let areApart: Bool
    /// All of them, each once.
    package let all: [WebOrigin]

    /// - Parameters:
    ///   - issuer: `nil` where the provider is at the website's origin.
    ///   - admin: `nil` where the console is at the provider's.
    package init(website: WebOrigin, issuer: WebOrigin? = nil, admin: WebOrigin? = nil) {
        self.website = website
        self.issuer = issuer ?? website
        self.admin = admin ?? self.issuer
        areApart = issuer != nil || admin != nil
        all = [self.website, self.issuer, self.admin].reduce(into: []) { all, origin in
            if !all.contains(origin) { all.append(origin) }
        }
    }
}

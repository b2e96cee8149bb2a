import OAuth2

/// Where a redemption lands, and what is to be recorded about a redirect that was not followed.
///
/// A bad redirect never fails the sign-in (docs/rules/return-path.md P9): it lands on the website's default page.
struct Landing: Hashable, Sendable {
    /// Absolute: an origin of our configuration and a re-serialised path, never the input.
    let location: String
    /// Set when a redirect was refused.
    let refusal: Refusal?

    struct Refusal: Hashable, Sendable {
        let reason: ReturnPathRefusal
        /// As ``RefusedRedirect/detail(_:)``; for a repeated parameter, its first value's.
        let detail: String
    }

    /// Where a redemption lands: on the page, or on the website's own way to sign in, which is told the page
    /// (contract §4.5).
    /// - Parameter issuer: who answers that sign-in.
    /// - Returns: `nil` when the website has no default path, so nowhere to land.
    static func decide(
        _ parameter: RedemptionRequest.RedirectParameter, sealed: String?, website: Client, ownOrigin: WebOrigin,
        issuer: WebOrigin
    ) -> Landing? {
        let page = decide(parameter, sealed: sealed, website: website, ownOrigin: ownOrigin)
        guard website.landing == .initiateLogin, let uri = website.initiateLoginURI else { return page }
        var query = [(name: "iss", value: issuer.description)]
        if let page { query.append((name: "target_link_uri", value: page.location)) }
        return Landing(location: RedirectAnswer.location(uri, query), refusal: page?.refusal)
    }

    /// The page alone.
    /// - Parameters:
    ///   - sealed: the token's `tgt`.
    ///   - ownOrigin: where websites without an origin of their own live.
    /// - Returns: `nil` when the website has no default path, so nowhere to land.
    static func decide(
        _ parameter: RedemptionRequest.RedirectParameter, sealed: String?, website: Client, ownOrigin: WebOrigin
    ) -> Landing? {
        guard let defaultPath = website.returnPaths.defaultPath else { return nil }
        let origin = website.publicOrigin ?? ownOrigin
        func landing(_ path: ReturnPath, _ refusal: Refusal? = nil) -> Landing {
            Landing(location: origin.description + path.serialized, refusal: refusal)
        }
        guard let sealed else {
            switch parameter {
            case .absent: return landing(defaultPath)
            case .repeated(let first): return landing(defaultPath, Refusal(.repeated, of: first))
            case .bytes(let input):
                switch website.returnPaths.decide(input) {
                case .accepted(let path): return landing(path)
                case .refused(let reason): return landing(defaultPath, Refusal(reason, of: input))
                }
            }
        }
        // The allow-list may have changed since the token was issued; it is asked again.
        guard case .accepted(let path) = website.returnPaths.decide(Array(sealed.utf8)) else {
            return landing(defaultPath, Refusal(.notListed, of: Array(sealed.utf8)))
        }
        switch parameter {
        case .absent: return landing(path)
        case .repeated(let first): return landing(path, Refusal(.repeated, of: first))
        case .bytes(let input):
            guard case .success(let requested) = ReturnPath.parse(input), requested.serialized == path.serialized
            else { return landing(path, Refusal(.differsFromSealed, of: input)) }
            return landing(path)
        }
    }
}

extension Landing.Refusal {
    fileprivate init(_ reason: ReturnPathRefusal, of input: [UInt8]) {
        self.init(reason: reason, detail: RefusedRedirect.detail(input))
    }
}

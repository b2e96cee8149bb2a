/// What is known of a request to redeem, besides the token: how it carries it and what the browser says of itself.
package struct Visit: Hashable, Sendable {
    /// Where in the request the token was (contract §4.1).
    package enum Carrier: Sendable {
        case query, form, header
        /// A GET without a token; its fragment may hold one, which only the page's script can see.
        case none
    }

    /// `Sec-Fetch-Site` (W3C Fetch Metadata §2.3).
    package enum FetchSite: String, Sendable {
        case none
        case sameOrigin = "same-origin"
        case sameSite = "same-site"
        case crossSite = "cross-site"
        /// A word that this version does not know: trusted with nothing.
        case other
    }

    /// The `Origin` header (RFC 6454 §7), compared with this service's own origins.
    package enum OriginHeader: Sendable {
        case absent, own
        /// Any other, `null` among them.
        case foreign
    }

    package let carrier: Carrier
    /// Any prefetch or preview signal, or a link preview's user agent.
    package let isPrefetch: Bool
    /// `nil` when the browser sends none.
    package let fetchSite: FetchSite?
    /// `Sec-Fetch-Mode: navigate` and `Sec-Fetch-Dest: document`.
    package let isDocumentNavigation: Bool
    /// A valid form token of ours, bound to this browser's cookie.
    package let formIsOurs: Bool
    /// The page's script sent the form, not a click.
    package let submittedByScript: Bool
    package let origin: OriginHeader

    package init(
        carrier: Carrier, isPrefetch: Bool = false, fetchSite: FetchSite? = nil, isDocumentNavigation: Bool = false,
        formIsOurs: Bool = false, submittedByScript: Bool = false, origin: OriginHeader = .absent
    ) {
        self.carrier = carrier
        self.isPrefetch = isPrefetch
        self.fetchSite = fetchSite
        self.isDocumentNavigation = isDocumentNavigation
        self.formIsOurs = formIsOurs
        self.submittedByScript = submittedByScript
        self.origin = origin
    }
}

/// Whether a visit consumes the token or is shown the confirm page (contract §4.2). A pure function, so that the
/// whole table can be tested.
package enum VisitDecision: Hashable, Sendable {
    case consume
    /// - Parameter submitsItself: whether the page's script may send the form without a click.
    case confirm(submitsItself: Bool)

    /// - Parameter mode: the website's setting; `direct` while the token does not verify, which ends in the refusal
    ///   page anyway.
    package static func decide(_ visit: Visit, mode: Client.RedeemMode) -> VisitDecision {
        let isForeign = visit.fetchSite == .crossSite || visit.fetchSite == .other || visit.origin == .foreign
        let confirm = VisitDecision.confirm(submitsItself: mode == .direct && !isForeign)
        // A prefetch beats every carrier: what fetches ahead is not the user yet.
        if visit.isPrefetch || visit.carrier == .none { return confirm }
        if mode != .direct {
            return visit.carrier == .form && visit.formIsOurs && !visit.submittedByScript ? .consume : confirm
        }
        switch visit.carrier {
        case .none: return confirm
        // No link, scanner or foreign page can add a header of ours to a navigation.
        case .header: return .consume
        case .query:
            return visit.isDocumentNavigation && isPersonal(visit.fetchSite) ? .consume : confirm
        case .form:
            // A `no-referrer` page posts `Origin: null`, so the form token decides before `Origin` is looked at.
            if visit.formIsOurs { return .consume }
            let isWebViewsOwn =
                visit.origin != .foreign
                && (visit.fetchSite == nil || visit.fetchSite == Visit.FetchSite.none || visit.fetchSite == .sameOrigin)
            return isWebViewsOwn ? .consume : confirm
        }
    }

    /// Whether a browser that a portal hands on (contract §4.6) consumes the token or is shown the confirm page.
    /// - Parameter isExpected: whether the website that it comes to sent it to the portal before.
    package static func decide(handOff visit: Visit, mode: Client.RedeemMode, isExpected: Bool) -> VisitDecision {
        let click = visit.carrier == .form && visit.formIsOurs && !visit.submittedByScript
        // It always comes from another site; what the website knows of its own browser says whether it was asked to.
        let isAwaited =
            isExpected && mode == .direct && visit.carrier == .query && visit.isDocumentNavigation
        return !visit.isPrefetch && (click || isAwaited) ? .consume : .confirm(submitsItself: false)
    }

    private static func isPersonal(_ site: Visit.FetchSite?) -> Bool {
        site == Visit.FetchSite.none || site == .sameOrigin || site == .sameSite
    }
}

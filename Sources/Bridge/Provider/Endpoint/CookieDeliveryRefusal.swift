package import OAuth2

/// Whether this request may be answered with cookies.
package enum CookieAllowance: Hashable, Sendable {
    case allowed
    case refused(CookieDeliveryRefusal)
}

/// Why a request gets no cookies for what it presents (contract §16.8).
///
/// Tokens in a body prove who is meant, not whose browser sends them: an attacker's page could post its own tokens, and
/// the visitor would go on as the attacker (login CSRF).
package enum CookieDeliveryRefusal: String, Hashable, Sendable, CaseIterable {
    case foreignOrigin = "cookies_foreign_origin"
    case crossSite = "cookies_cross_site"
    /// A form or a link, in whose answer no page of ours has a part.
    case navigation = "cookies_navigation"

    /// What the outside is told: the same of each.
    package var error: OAuthError {
        OAuthError(
            .invalidRequest, "cookies are given to apps and to pages of this very origin, by fetch and not by a form",
            detail: rawValue)
    }
}

import Bridge
import HTTPTypes
import Hummingbird

/// The cookie that ties a form token to the browser that was given the form (contract §4.2).
enum FormCookie {
    static let name: StaticString = "__Host-drawbridge_form"
    /// As long as a sign-in may take, on whichever page it is set: another one in between must not shorten it for a browser
    /// that is at an upstream provider. How long a form is good, its token says.
    private static let lifetime = Authorizations.journeyLifetime

    /// The browser's binding, kept when it has a good one, so that two open forms both stay usable.
    ///
    /// `Lax`, not `Strict`: a form page reached by a link from another site would not see a `Strict` cookie, make a
    /// new binding, and so spoil the form in the other tab. A foreign site's POST carries neither kind.
    static func binding(of request: Request, random: RandomSource) -> OpaqueSecret {
        request.formBinding ?? .make(.formBinding, random: random)
    }

    static func set(_ binding: OpaqueSecret, in headers: inout HTTPFields) {
        headers.setCookie(name, binding.expose(), for: lifetime)
    }
}

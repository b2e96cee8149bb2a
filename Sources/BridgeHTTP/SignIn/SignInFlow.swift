import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What every way to sign in shares: whom it takes, where it leads, and the pages between.
final class SignInFlow: BrowserFacing {
    let kit: BrowserPages
    let services: SignInServices
    /// The forms that may wait for a sign-in, with what their buttons say.
    private let namedForms: [RouteDeclaration]

    init(kit: BrowserPages, services: SignInServices, namedForms: [RouteDeclaration]) {
        self.kit = kit
        self.services = services
        self.namedForms = namedForms
    }

    /// Back to what the sign-in was for, with the new session's cookies.
    func proceed(
        _ errand: SignInErrand, _ opened: OpenedSession, browser: OpaqueSecret, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response {
        if let held = errand.held.flatMap({ HeldForm.open($0, with: services.heldForms, for: browser) }),
            held.subject == opened.session.subject
        {
            var response = pages.goOn(
                with: held, among: namedForms, formToken: AdminVisit.formToken(for: opened.secret),
                to: pageVisitor(request, context))
            try await setCookies(of: opened, request, context, in: &response.headers)
            return response
        }
        let location = try await location(for: errand, of: opened.session, request, context)
        var response = Response.seeOther(location)
        try await setCookies(of: opened, request, context, in: &response.headers)
        return response
    }

    /// Where a sign-in leads that was for this; back to the page for one that is too weak for the website.
    func location(
        for errand: SignInErrand, of session: WebSession, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> String {
        if let journey = errand.journey {
            return "\(origins.configured.issuer)\(AuthorizeController.path)?journey=\(PercentEncoding.encode(journey))"
        }
        let here = origins.own(of: request)
        guard !isTooWeak(session.authentication, for: errand) else { return here.description + errand.forTheRest.url }
        return try await services.landing.location(
            for: errand.redirectParameter, of: session.subject, at: here, origin: context.origin(of: request))
    }

    /// Sets the cookies of whoever has just signed in, and leaves nothing of other users in the browser.
    func setCookies(
        of opened: OpenedSession, _ request: Request, _ context: BridgeRequestContext, in headers: inout HTTPFields
    ) async throws {
        try await browserSignOut.leaveOnly(
            opened.session.subject, in: request, origin: context.origin(of: request), headers: &headers)
        if let recognition = opened.recognition { KnownBrowserCookie.set(recognition, in: &headers) }
        SessionCookies.set(opened.session, secret: opened.secret, at: time.now(), in: &headers)
    }

    /// Somebody who loads the address of a form that was sent has no sign-in under way any more, and begins one for
    /// what the address says.
    func beginAnew(_ request: Request) throws -> Response {
        onward(SignInErrand(try request.queryOfLink()).url, request)
    }

    /// Whether it matters to what the sign-in is for how old it is.
    func limitsAge(_ errand: SignInErrand, browser: OpaqueSecret) -> Bool {
        guard let journey = errand.journey else { return maximumAge(for: errand) != nil }
        return services.authorizations.request(of: journey, browser: browser)?.limitsAge == true
    }

    /// Whether the authorization request that the sign-in is for opens, and may still be answered; `true` where it is
    /// for none.
    func canGoOn(_ errand: SignInErrand, browser: OpaqueSecret) -> Bool {
        errand.journey.map { services.authorizations.request(of: $0, browser: browser) != nil } ?? true
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The ways by which another device answers for a sign-in here: where they are offered, and what is said where one of
/// them was not enough.
extension SignInFlow {
    /// Whether the session that such a way opens may be enough for what the sign-in is for.
    /// - Parameters:
    ///   - browser: the browser's form binding.
    ///   - session: the browser's, which is not enough.
    func takes(
        _ way: SignInElsewhere, for errand: SignInErrand, browser: OpaqueSecret, besides session: WebSession?
    ) -> Bool {
        let request = errand.journey.flatMap { services.authorizations.request(of: $0, browser: browser) }
        return takes(way, for: errand, request, besides: session)
    }

    /// As the other, where the authorization request has been read.
    /// - Parameters:
    ///   - request: the authorization request that it is for.
    ///   - session: the browser's, which is not enough.
    func takes(
        _ way: SignInElsewhere, for errand: SignInErrand, _ request: AuthorizationRequest?, besides session: WebSession?
    ) -> Bool {
        if let request { return request.mayBeAnswered(by: way, in: clients.current, at: time.now()) }
        switch errand.destination {
        // A request that cannot go on has a page that says so.
        case .app: return true
        // Both are for the person's own sign-in here (contract §16.2).
        case .console, .device: return false
        case .account:
            // Whoever signs in although such a session is there wants what that one does not show.
            return AccountPath.showsAnySession(errand.redirectText ?? "") && session?.isOwnSignIn != false
        case .website:
            guard errand.isHandOff else { return landsHere(errand) }
            guard way == .app, let website = errand.handOff?.website.map(ClientID.init(rawValue:)) else { return false }
            return services.phone?.signIns.mayLeadOn(to: website) ?? false
        }
    }

    /// Whether the website that it leads to sees the session of this place, or asks for a code in it: whoever comes to
    /// any other is sent back for a hand-off, which such a session gets none of (contract §16.4).
    private func landsHere(_ errand: SignInErrand) -> Bool {
        guard let website = services.landing.website(for: errand.redirect) else { return true }
        return (website.publicOrigin ?? origins.configured.website) == issuer || !website.needsPortal(besides: issuer)
    }

    /// What the page says to somebody for whom another device has answered, where that is not enough for what they are
    /// here for: the page would just come again. Of their account the page says so by itself.
    func shortfallElsewhere(_ errand: SignInErrand) -> SignInNotice? {
        switch errand.destination {
        case .app, .account: nil
        case .console, .device: .notEnoughElsewhere
        case .website: errand.isHandOff ? .notEnoughElsewhere : nil
        }
    }
}

extension SignInFlow {
    /// Sends the browser on to a website elsewhere, by a login link of its user, and leaves nothing of other users in
    /// it: who comes next would go on as one of them.
    func goOn(
        by link: LoginTokenAnswer, of subject: Subject, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        var response = Response.goingOn(by: link)
        try await browserSignOut.leaveNobody(
            but: subject, in: request, origin: context.origin(of: request), headers: &response.headers)
        return response
    }

    /// The sign-in page, for a browser whose own session stays since another device's answer would not do.
    /// - Parameter session: the browser's.
    func notEnoughElsewhere(
        _ errand: SignInErrand, browser: OpaqueSecret, session: WebSession?, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response {
        try await missingPage(
            errand, .notEnoughElsewhere, browser: browser, session: session, at: origins.own(of: request),
            to: pageVisitor(request, context))
    }
}

extension Response {
    /// Sends the browser on to a website elsewhere, by a login link.
    static func goingOn(by link: LoginTokenAnswer) -> Response {
        var response = Response.seeOther(link.loginURL.expose())
        response.headers[.xRobotsTag] = "noindex"
        return response
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/oauth/logout`: a website signs its user out here too (OpenID Connect RP-Initiated Logout).
struct LogoutController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "logout", as: .page, anyone: visit).withoutHead.metadata("end_session_endpoint"),
        Route(.post, path, "logoutByPost", as: .page, anyone: submit),
    ]

    static let path = "/oauth/logout"
    static let place: Origins.Purposes? = .provider

    /// How long a browser waits for other websites to hear of it (contract §5.8).
    static let noticePatience = Duration.seconds(3)

    let kit: BrowserPages
    let provider: ProviderServices

    @Sendable func visit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = Self.parameters(Array((request.uri.query ?? "").utf8))
        let parameters = try LogoutRequest.parameters(of: query, openedWith: provider.logout.seal)
        return try await answer(
            try await LogoutRequest(parameters, provider: provider, clients: clients), request, context)
    }

    @Sendable func submit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request, upTo: TokenController.bodyLimit)
        // Without a body there is nothing that a type could be said of.
        guard BodyReader.isForm(request) || body.isEmpty else { throw BodyReader.notAForm }
        let form = Self.parameters(body)
        let logout = try await LogoutRequest(form, provider: provider, clients: clients)
        guard form[BrowserForm.tokenField] != nil else {
            // A website's own POST comes without our Lax cookies; the GET that follows it has them.
            guard try await browserSignOut.sessions(of: request).isEmpty else {
                return try await answer(logout, request, context)
            }
            return .seeOther(try logout.location(at: issuer, sealedWith: provider.logout.seal))
        }
        guard request.isOurs(form, for: .signOut, isOfSession: true, by: formTokens) else {
            return try await answer(logout, request, context)
        }
        let browser = try await browser(of: request, logout)
        return try await end(of: nil, logout, in: browser, request, context)
    }

    /// Nothing that is wrong with a request keeps its user signed in: a value that cannot be read stays as it came, and
    /// matches nothing (contract §5.8).
    private static func parameters(_ text: [UInt8]) -> FormParameters {
        (try? FormParameters(keepingMalformed: text)) ?? FormParameters.none
    }

    private func answer(
        _ logout: LogoutRequest, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let browser = try await browser(of: request, logout)
        // A browser that fetches ahead has not been told to sign out yet: its user is asked.
        if let hint = logout.hint, browser.isConcerned, !PrefetchSignal.isPresent(in: request.headers) {
            return try await end(of: hint.subject, logout, in: browser, request, context)
        }
        // Nobody is asked about a session that has ended.
        guard browser.isConcerned || browser.found.contains(where: { $0.session.endedAt == nil }) else {
            return leave(logout)
        }
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.signOut(
            formToken: try formTokens.make(
                for: .signOut, binding: binding, session: request.sessionSecret), action: Self.path,
            stayingAt: stayPath(request), fields: logout.fields,
            leadsOut: logout.target != nil, to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// A browser that is to sign out.
    private struct LeavingBrowser: Sendable {
        /// What its cookies name.
        let found: [SignedIn]
        /// Those of either profile that are of the hint's user. What another website's server knows as well does not
        /// show whose browser it is.
        let own: [WebSession]
        /// The app's session that the hint is of; `nil` too where its user has none in this browser.
        let app: AppSession?

        /// Whether the hint is of a sign-in in this very browser: then the user need not be asked (contract §5.8). Its
        /// session may have been unused for long, or have ended: what its cookie still names is this browser's.
        var isConcerned: Bool { app.map { app in own.contains { $0.id == app.browserSessionID } } ?? false }
    }

    private func browser(of request: Request, _ logout: LogoutRequest) async throws -> LeavingBrowser {
        let found = try await browserSignOut.sessionsToEnd(of: request)
        let own = found.map(\.session).filter { $0.subject == logout.hint?.subject && !origins.isKeptElsewhere($0) }
        var app: AppSession?
        if !own.isEmpty, let sid = logout.hint?.sessionID {
            app = try await provider.logout.sessions.appSession(id: sid)
        }
        return LeavingBrowser(found: found, own: own, app: app)
    }

    /// - Parameter subject: whose sign-out a website asked for; `nil` when the visitor has agreed in person: then
    ///   whoever is signed in in this browser.
    private func end(
        of subject: Subject?, _ logout: LogoutRequest, in browser: LeavingBrowser, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response {
        var response = leave(logout)
        let origin = context.origin(of: request)
        var more: (EndingRoot, Ending)?
        if let app = root(signingOutOf: logout.hint, in: browser) {
            more = (app, .signOut(origin: origin, at: time.now()))
        }
        let ended = try await browserSignOut.signOut(
            browser.found, request, of: subject, endingFirst: more, origin: origin, in: &response.headers)
        if !ended.isEmpty { await provider.logout.notifier.deliverSoon(within: Self.noticePatience) }
        return response
    }

    /// What the app that sent its ID token along has of the user: signing out of it ends its device too, and what other
    /// apps there were given by that (contract §7).
    private func root(signingOutOf hint: PresentedIDToken?, in browser: LeavingBrowser) -> EndingRoot? {
        guard let session = browser.app, session.subject == hint?.subject,
            browser.own.contains(where: { $0.endedAt == nil || $0.id == session.browserSessionID })
        else { return nil }
        if let device = session.deviceSecretID { return .device(device) }
        // A website's offline access goes on without its user, as after every plain sign-out (OpenID Connect Core §11).
        return session.outlivesBrowser && clients.current[session.clientID]?.kind == .web
            ? nil : .appSession(session.id)
    }

    private func leave(_ logout: LogoutRequest) -> Response {
        .seeOther(logout.target ?? "\(issuer)\(SessionController.signedOutPath)")
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/account/devices`: where the user is signed in, and how to end it.
struct DevicesController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "devices", as: .page, .session, show).shownAgain(.withoutQuery),
        Route(.post, endPath, "endDevice", as: .page, .sessionForm, end),
    ]

    static let path = AccountPath.devices
    /// What the address says, as its whole query, where a form ended nothing because its session was over.
    static let lostName = "lost"
    private static let endPath = "/account/devices/end"
    static let place: Origins.Purposes? = [.provider, .console]
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let places: SignedInPlaces
    let accounts: any UserStore

    @Sendable func show(
        _ request: Request, context: BridgeRequestContext, found: SignedIn
    ) async throws -> Response {
        try await page(found.session, DevicesNotice(query: request.uri.query), request, context)
    }

    private func page(
        _ session: WebSession, _ notice: DevicesNotice?, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        let directory = clients.current
        let here = try await sessionsHere(of: session, request).map(\.session.id.rawValue)
        var listing = try await places.listing(shownTo: session)
        for index in listing.places.indices {
            let place = listing.places[index]
            if place.kind == .browser, here.contains(place.id) { listing.places[index].isCurrent = true }
        }
        var response = pages.devices(
            listing, isOwn: session.isOwnSignIn, signIn: try await signIn(of: session.subject),
            clientName: { directory[$0]?.name ?? $0.rawValue },
            formToken: try formTokens.make(for: .devices, binding: binding, session: request.sessionSecret),
            notice: notice, to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    @Sendable func end(
        _ request: Request, context: BridgeRequestContext, sent: (found: SignedIn, form: BrowserForm)
    ) async throws -> Response {
        let session = sent.found.session
        guard sent.form.isOurs else { return try await page(session, .stale, request, context) }
        let form = sent.form.parameters
        let origin = context.origin(of: request)
        let here = try await sessionsHere(of: session, request)
        let endsOthers = form["what"] == "others"
        let mayEnd: Bool
        if endsOthers {
            // The page says of each of them: "You are here".
            mayEnd = try await places.endOthers(in: session, sparing: Set(here.map(\.session.id)), origin: origin)
        } else if let kind = form["kind"].flatMap(SignedInPlaces.Place.Kind.init(rawValue:)),
            let id = form["id"]
        {
            // The page says that the browser is signed out: everything of the user in it. What somebody else's link
            // opened ends itself alone (contract §16).
            let isHere = kind == .browser && here.contains { $0.session.id.rawValue.hasSameBytes(as: id) }
            let more = isHere && session.isOwnSignIn ? try await sessionsToEnd(of: session, request) : []
            // The one in hand is the last: with it the user can ask again, should a store fail.
            for other in more.reversed() where !other.hasSameBytes(as: id) && other != session.id.rawValue {
                _ = try await places.end(.browser, other, in: session, origin: origin)
            }
            // Whether it had ended before or not, it has ended now, as the user wanted.
            mayEnd = try await places.end(kind, id, in: session, origin: origin)
            if !more.isEmpty {
                _ = try await places.end(.browser, session.id.rawValue, in: session, origin: origin)
            }
        } else {
            throw OAuthError(.invalidRequest, "the form does not say what to end")
        }
        let notice: DevicesNotice = endsOthers ? .endedOthers : .ended
        let next =
            if mayEnd { "\(Self.path)?\(notice.rawValue)" } else { try await signIn(of: session.subject) ?? Self.path }
        var response = onward(next, request)
        let alive = try await browserSignOut.sessions(of: request).map(\.session.id)
        let ended = here.filter { !alive.contains($0.session.id) }
        browserSignOut.takeCookies(of: ended, request, in: &response.headers)
        if ended.contains(where: { $0.tokenPrefix == nil }) { SessionCookies.clear(in: &response.headers) }
        return response
    }

    /// Where the user signs in to see all; `nil` for whoever has no account here.
    private func signIn(of subject: Subject) async throws -> String? {
        guard let path = pages.signInForDevices, try await accounts.account(of: subject) != nil else { return nil }
        return path
    }

    /// Every session of the same user that the browser's cookies open, of either profile.
    private func sessionsHere(of session: WebSession, _ request: Request) async throws -> [SignedIn] {
        try await browserSignOut.sessions(of: request).filter { $0.session.subject == session.subject }
    }

    /// Those sessions, and those that were unused for too long: what was granted in them goes on.
    private func sessionsToEnd(of session: WebSession, _ request: Request) async throws -> [String] {
        try await browserSignOut.sessionsToEnd(of: request).map(\.session)
            .filter { $0.subject == session.subject && $0.endedAt == nil }.map(\.id.rawValue)
    }
}

/// What the page says above its lists.
enum DevicesNotice: String, PageNotice {
    case ended
    case endedOthers = "ended_others"
    /// The page was open for too long, so that its form ended nothing.
    case stale

    /// What the address says that a form has led to.
    /// - Parameter query: the page's.
    init?(query: String?) {
        switch query {
        case Self.ended.rawValue: self = .ended
        case Self.endedOthers.rawValue: self = .endedOthers
        default: return nil
        }
    }

    /// The text's key in the section `devices`.
    var key: String { rawValue }
    var code: ErrorCode? { self == .stale ? .invalidRequest : nil }
}

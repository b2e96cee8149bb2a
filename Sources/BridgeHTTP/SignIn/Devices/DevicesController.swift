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
    private static let endPath = "/account/devices/end"
    private static let endedQuery = "ended"
    static let place: Origins.Purposes? = [.provider, .console]
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let places: SignedInPlaces
    /// Whether second factors can be set up here.
    let offersSecondFactor: Bool
    /// Whether phones' keys sign in here.
    var offersLinkedKeys = false

    @Sendable func show(
        _ request: Request, context: BridgeRequestContext, found: SignedIn
    ) async throws -> Response {
        let session = found.session
        let binding = FormCookie.binding(of: request, random: random)
        let directory = clients.current
        var response = pages.devices(
            try await places.places(shownTo: session), isOwn: session.isOwnSignIn,
            clientName: { directory[$0]?.name ?? $0.rawValue },
            formToken: try formTokens.make(for: .devices, binding: binding, session: request.sessionSecret),
            wasEnded: request.uri.query == Self.endedQuery, offersSecondFactor: offersSecondFactor,
            offersLinkedKeys: offersLinkedKeys, to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    @Sendable func end(
        _ request: Request, context: BridgeRequestContext, sent: (found: SignedIn, form: FormParameters)
    ) async throws -> Response {
        let session = sent.found.session
        let origin = context.origin(of: request)
        let mayEnd: Bool
        if sent.form["what"] == "others" {
            mayEnd = try await places.endOthers(in: session, origin: origin)
        } else if let kind = sent.form["kind"].flatMap(SignedInPlaces.Place.Kind.init(rawValue:)),
            let id = sent.form["id"]
        {
            // Whether it had ended before or not, it has ended now, as the user wanted.
            mayEnd = try await places.end(kind, id, in: session, origin: origin)
        } else {
            throw OAuthError(.invalidRequest, "the form does not say what to end")
        }
        return onward(mayEnd ? "\(Self.path)?\(Self.endedQuery)" : pages.signInForDevices ?? Self.path, request)
    }
}

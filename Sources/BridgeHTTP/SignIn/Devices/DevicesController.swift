import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/account/devices`: where the user is signed in, and how to end it.
struct DevicesController: Sendable {
    static let path = AccountPath.devices
    static let endPath = "/account/devices/end"
    private static let endedQuery = "ended"

    let places: SignedInPlaces
    let browsers: BrowserSessions
    let clients: Reloadable<ClientDirectory>
    let formTokens: FormTokens
    let pages: Pages
    let origins: OriginReader
    let random: RandomSource
    /// Whether second factors can be set up here.
    let offersSecondFactor: Bool

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let visitor = PageVisitor(request, context)
        guard let session = try await browsers.find(request)?.session else {
            return pages.devicesSignedOut(to: visitor)
        }
        let binding = FormCookie.binding(of: request, random: random)
        let directory = clients.current
        var response = pages.devices(
            try await places.places(of: session.subject, current: session),
            clientName: { directory[$0]?.name ?? $0.rawValue },
            formToken: try formTokens.make(for: .devices, binding: binding, session: request.sessionSecret),
            wasEnded: request.uri.query == Self.endedQuery, offersSecondFactor: offersSecondFactor, to: visitor)
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    @Sendable func end(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let form = try await BrowserForm.read(
            request, as: .devices, isOfSession: true, formTokens: formTokens, random: random)
        // Not ours: the page is shown once more, and nothing has happened.
        guard form.isOurs, let session = try await browsers.find(request)?.session else {
            return back(to: Self.path, of: request)
        }
        let origin = context.origin(of: request)
        if form.parameters["what"] == "others" {
            try await places.endOthers(than: session, origin: origin)
        } else if let kind = form.parameters["kind"].flatMap(SignedInPlaces.Place.Kind.init(rawValue:)),
            let id = form.parameters["id"]
        {
            // Over before or not: what the user wanted ended is.
            _ = try await places.end(kind, id, of: session.subject, origin: origin)
        } else {
            throw OAuthError(.invalidRequest, "the form does not say what to end")
        }
        return back(to: "\(Self.path)?\(Self.endedQuery)", of: request)
    }

    private func back(to target: String, of request: Request) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: "\(origins.own(of: request))\(target)", .cacheControl: "no-store"])
    }
}

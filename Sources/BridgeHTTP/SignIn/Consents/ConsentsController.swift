import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/account/consents`: which apps and websites the user has agreed to, and how to take that back.
struct ConsentsController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "consents", as: .page, .secretSession(at: path), show).shownAgain(.withoutQuery),
        Route(.post, path, "withdrawConsent", as: .page, .secretSessionForm(.consents, at: path), withdraw),
    ]

    static let path = AccountPath.consents
    static let place: Origins.Purposes? = [.provider, .console]
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let account: AccountServices

    @Sendable func show(_ request: Request, context: BridgeRequestContext, found: SignedIn) async throws -> Response {
        try await page(found.session, request.uri.query == "withdrawn" ? .withdrawn : nil, request, context)
    }

    @Sendable func withdraw(
        _ request: Request, context: BridgeRequestContext, sent: (found: SignedIn, form: BrowserForm)
    ) async throws -> Response {
        let session = sent.found.session
        guard sent.form.isOurs else { return try await page(session, .stale, request, context) }
        guard let client = sent.form.parameters["client_id"] else {
            throw OAuthError(.invalidRequest, "the form does not say which app")
        }
        let mayWithdraw = try await account.consents.withdraw(
            from: ClientID(rawValue: client), in: session, origin: context.origin(of: request))
        return onward(mayWithdraw ? "\(Self.path)?withdrawn" : Self.path, request)
    }

    private func page(
        _ session: WebSession, _ notice: ConsentsNotice?, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let directory = clients.current
        // An app of the operator's own asks nobody, so that nothing would be asked again.
        let consents = try await account.consents.consents(shownTo: session).filter {
            directory[$0.clientID]?.isFirstParty != true
        }
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.consents(
            ConsentsPage(
                consents: consents, isOwn: session.isOwnSignIn,
                hasAccount: try await account.storage.account(of: session.subject) != nil, notice: notice,
                formToken: try formTokens.make(for: .consents, binding: binding, session: request.sessionSecret)),
            clientName: { directory[$0]?.name ?? $0.rawValue }, to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import Metrics
import OAuth2

/// `/login-with-token` and its further paths (contract §4).
struct RedemptionController: Sendable {
    let redeemer: LoginTokenRedeemer
    let sessions: WebSessions
    let clients: Reloadable<ClientDirectory>
    let formTokens: FormTokens
    let pages: Pages
    let reader: VisitReader
    let metrics: OutcomeMetrics
    let publicOrigin: WebOrigin
    let time: TimeSource
    let random: RandomSource

    @Sendable func visit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await answer(request, reader.read(request, form: nil), context: context)
    }

    @Sendable func submit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request)
        guard body.isEmpty || BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded" else {
            throw OAuthError(.unsupportedMediaType)
        }
        return try await answer(request, reader.read(request, form: body), context: context)
    }

    /// The confirm page's headers. No state is touched, not even the form's cookie is set (contract §4.2).
    @Sendable func head(_ request: Request, context: BridgeRequestContext) -> Response {
        pages.confirm(
            action: Self.action(context), fields: [], submitsItself: false, formTargets: [],
            to: PageVisitor(request, context)
        ).createHeadResponse()
    }

    private func answer(
        _ request: Request, _ reading: VisitReader.Reading, context: BridgeRequestContext
    ) async throws -> Response {
        let parameters = reading.parameters
        let outcome: RedemptionOutcome
        do {
            outcome = try await redeemer.redeem(
                RedemptionRequest(
                    token: reading.token, redirect: parameters.redirect, codeVerifier: parameters.verifiers.first,
                    visit: reading.visit, confirmsSwitch: parameters.confirmsSwitch,
                    sessionSecret: request.sessionSecret, retry: request.cookie(RetryCookie.name),
                    origin: context.origin(of: request)))
        } catch let undecided as UndecidedRedemption {
            throw RetryCookie.error(for: undecided)
        }
        metrics.count(outcome)
        let visitor = PageVisitor(request, context)
        switch outcome {
        case .landed(let location, let opened): return landed(at: location, opened)
        case .refused: return pages.refused(to: visitor)
        case .limited(let wait): return pages.limited(retryAfter: wait.roundedUpSeconds, to: visitor)
        case .confirm(let submitsItself):
            return try withForm(request, reading) { fields, targets in
                pages.confirm(
                    action: Self.action(context), fields: fields, submitsItself: submitsItself, formTargets: targets,
                    to: visitor)
            }
        case .switchAccount(let current, let proposed):
            let home = try await home(of: request)
            return try withForm(request, reading) { fields, targets in
                pages.switchAccount(
                    current: current, proposed: proposed, home: home, action: Self.action(context), fields: fields,
                    formTargets: targets, to: visitor)
            }
        }
    }

    /// The route's own path. The path as it was asked for may begin with `//`, and would then name another host.
    private static func action(_ context: BridgeRequestContext) -> String {
        context.endpointPath ?? BridgeHTTPSettings.redemptionPath
    }

    private func landed(at location: String, _ opened: OpenedSession?) -> Response {
        var headers: HTTPFields = [:]
        headers[.location] = location
        headers[.cacheControl] = "no-store"
        headers[.referrerPolicy] = "no-referrer"
        headers[.xRobotsTag] = "noindex"
        if let opened { SessionCookies.set(opened.session, secret: opened.secret, at: time.now(), in: &headers) }
        return Response(status: .seeOther, headers: headers)
    }

    /// A page with a form that brings back what this request carried, bound to this browser.
    private func withForm(
        _ request: Request, _ reading: VisitReader.Reading, page: ([HiddenField], [String]) -> Response
    ) throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        var fields: [HiddenField] = []
        if case .one(let token) = reading.token { fields.append(HiddenField(name: "token", value: token.expose())) }
        // A repeated redirect stays repeated, so that the form's POST is judged as this request would have been.
        for redirect in reading.parameters.redirects where !redirect.isEmpty {
            fields.append(HiddenField(name: "redirect", value: String(decoding: redirect, as: UTF8.self)))
        }
        if let verifier = reading.parameters.verifiers.first {
            fields.append(HiddenField(name: "code_verifier", value: verifier))
        }
        fields.append(HiddenField(name: "form_token", value: try formTokens.make(binding: binding)))
        var response = page(fields, formTargets())
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// The other origins that a redemption may land on.
    private func formTargets() -> [String] {
        Set(clients.current.all.compactMap { $0.kind == .web ? $0.publicOrigin : nil })
            .subtracting([publicOrigin]).map(\.description).sorted()
    }

    /// Where the user of this browser's session is at home: what "no" leads to.
    private func home(of request: Request) async throws -> String {
        guard let secret = request.sessionSecret, let session = try await sessions.lookUp(secret),
            let website = clients.current[session.clientID], let path = website.returnPaths.defaultPath
        else { return publicOrigin.description + "/" }
        return (website.publicOrigin ?? publicOrigin).description + path.serialized
    }
}

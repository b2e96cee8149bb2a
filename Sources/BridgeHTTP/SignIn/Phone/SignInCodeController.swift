import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/signin/code`: user name and the digits that the user's phone shows (contract §9).
struct SignInCodeController: SignInGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "signInCode", as: .page, .signInVisit, show).shownAgain(.withQuery),
        Route(
            .post, path, "attemptSignInCode", as: .page,
            .signInForm(.signInCode, field: PhoneSignInController.formField), attempt),
    ]

    static let place: Origins.Purposes? = [.provider]
    static let reservation = RouteReservation.paths
    static let unavailable = Unavailable.signIn

    static let path = "/signin/code"

    let flow: SignInFlow
    let phones: PhoneSignInServices

    @Sendable func show(
        _ request: Request, context: BridgeRequestContext, visit: SignInVisit
    ) async throws -> Response {
        try page(visit.errand, browser: visit.browser, to: pageVisitor(request, context))
    }

    @Sendable func attempt(
        _ request: Request, context: BridgeRequestContext, sent: SignInForm
    ) async throws -> Response {
        let (form, errand) = (sent.form, sent.errand)
        let username = form.parameters["username"] ?? ""
        func again(_ notice: SignInNotice) throws -> Response {
            try page(errand, notice, username: username, browser: form.browser, to: pageVisitor(request, context))
        }
        guard form.isOurs else { return try again(.notOurs(form)) }
        let current = try await browsers.replaceable(in: request)
        let outcome = try await phones.shownCodes.use(
            form.parameters["code"] ?? "", of: username, for: errand.handOff, replacing: current,
            origin: context.origin(of: request))
        switch outcome {
        case .signedIn(let opened):
            return try await flow.proceed(errand, opened, browser: form.browser, request, context)
        case .handedOn(let link, of: let subject):
            return try await flow.goOn(by: link, of: subject, request, context)
        case .notEnough:
            return try await flow.notEnoughElsewhere(
                errand, browser: form.browser, session: current, request, context)
        case .noDigits: return try again(.noDigits)
        case .refused: return try again(.refused)
        case .limited(let wait): return try again(.limited(wait))
        }
    }

    private func page(
        _ errand: SignInErrand, _ notice: SignInNotice? = nil, username: String? = nil, browser: OpaqueSecret,
        to visitor: PageVisitor
    ) throws -> Response {
        let token = try formTokens.make(for: .signInCode, binding: browser)
        var response = pages.signInCode(
            fields: errand.fields + [HiddenField(name: PhoneSignInController.formField, value: token)],
            for: errand, username: username, notice: notice, to: visitor)
        FormCookie.set(browser, in: &response.headers)
        return response
    }
}

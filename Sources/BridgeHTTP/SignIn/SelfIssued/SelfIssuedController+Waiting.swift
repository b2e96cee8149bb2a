import Bridge
import Hummingbird
import OAuth2

/// The browser waits for another device.
extension SelfIssuedController {
    @Sendable func status(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try request.query()
        try query.checkUnique()
        var body = JSONObjectWriter()
        do {
            let found = try await phone.look(
                query["state"] ?? "", browser: request.selfIssuedBrowser,
                origin: context.recognisedOrigin(of: request))
            switch found.standing {
            case .waiting: body.add("state", "waiting")
            case .answered: body.add("state", "answered")
            case .over: body.add("state", "over")
            }
        } catch is SelfIssuedRefusal {
            body.add("state", "over")
        }
        return .json(body)
    }

    @Sendable func proceed(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        let state = form.parameters["state"] ?? ""
        let visitor = pageVisitor(request, context)
        let origin = context.recognisedOrigin(of: request)
        let browser = request.selfIssuedBrowser
        guard form.isOurs else { return redirect(to: SelfIssuedConfiguration.startPath) }
        do {
            switch form.parameters["what"] {
            case "decline":
                let errand = try await phone.decline(state, browser: browser, origin: origin)
                return redirect(to: SignInErrand(try FormParameters(parsing: errand.utf8)).url)
            case "confirm":
                let outcome = try await phone.pickUp(
                    state, code: form.parameters["code"], browser: browser,
                    current: try await browsers.replaceable(in: request), origin: origin)
                switch outcome {
                case .done(let outcome): return try await signedIn(outcome, request, context)
                case .wrongCode: return try await waitPage(state, .wrongCode, form, request, visitor, origin)
                case .limited(let wait):
                    return try await waitPage(state, .limited(wait), form, request, visitor, origin)
                case .over: return pages.selfIssuedRefused(.stateUnknown, to: visitor)
                }
            default: return try await waitPage(state, nil, form, request, visitor, origin)
            }
        } catch let refusal as SelfIssuedRefusal {
            metrics.count(refusal)
            return refusedPage(refusal, visitor)
        }
    }

    private func waitPage(
        _ state: String, _ notice: SelfIssuedNotice?, _ form: BrowserForm, _ request: Request, _ visitor: PageVisitor,
        _ origin: RequestOrigin
    ) async throws -> Response {
        let found = try await phone.look(state, browser: request.selfIssuedBrowser, origin: origin)
        if case .over = found.standing { return pages.selfIssuedRefused(.stateUnknown, to: visitor) }
        var response = pages.selfIssuedWait(
            found.standing, notice: notice, fields: try waitingFields(state, form.browser),
            waysOut: try waysOut(of: found), to: visitor)
        FormCookie.set(form.browser, in: &response.headers)
        return response
    }

    private func waysOut(of found: SelfIssuedSignIn.WaitingPage) throws -> SelfIssuedWaysOut {
        guard !found.isLinking else {
            return SelfIssuedWaysOut(startURL: Self.linkingURL, otherURL: LinkedKeysController.path, isLinking: true)
        }
        let errand = SignInErrand(try FormParameters(parsing: found.errand.utf8))
        return SelfIssuedWaysOut(startURL: Self.startURL(for: errand), otherURL: errand.url, isLinking: false)
    }
}

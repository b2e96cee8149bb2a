import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/device`: a signed-in user lets a device in that has no browser (RFC 8628 §3.3), or sends it away.
struct DeviceGrantController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, DevicePath.page, "device", as: .page, anyone: show).shownAgain(.withoutQuery),
        Route(.post, DevicePath.page, "enterUserCode", as: .page, .form(.deviceGrant, isOfSession: true), enter),
        Route(
            .post, decisionPath, "decideOnDevice", as: .page, .form(.deviceGrant, isOfSession: true), decide),
    ]

    static let decisionPath = "/device/decision"
    /// The field's `maxlength`.
    private static let fieldLimit = 32
    static let place: Origins.Purposes? = .provider
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let approvals: DeviceApprovals
    let accounts: any UserStore
    let metrics: DeviceGrantMetrics

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try request.query()
        let typed = query[DevicePath.userCode]
        guard let session = try await session(of: request) else { return signIn(for: typed) }
        let browser = FormCookie.binding(of: request, random: random)
        // A foreign page that leads here, or loads this as a picture, and a browser that looks ahead would use up the
        // visitor's guesses: they get the form, with the code in it.
        guard let typed, FetchMetadata.isOwnVisit(request.headers) else {
            return try await entry(session, typed: typed.flatMap(Self.code(in:)), browser: browser, request, context)
        }
        return try await look(typed, kept: Self.code(in: typed), session, browser: browser, request, context)
    }

    @Sendable func enter(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        let typed = form.parameters[DevicePath.userCode] ?? ""
        guard let session = try await session(of: request) else { return signIn(for: typed) }
        guard form.isOurs else {
            return try await entry(
                session, .stale, typed: Self.code(in: typed), browser: form.browser, request, context)
        }
        let kept = Self.code(in: typed) ?? String(typed.unicodeScalars.prefix(Self.fieldLimit))
        return try await look(typed, kept: kept, session, browser: form.browser, request, context)
    }

    @Sendable func decide(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        guard let session = try await session(of: request) else { return signIn(for: nil) }
        let agreed = form.parameters["decision"] == "allow"
        guard form.isOurs, let sealed = form.parameters["device"], agreed || form.parameters["decision"] == "deny"
        else { return try await entry(session, .stale, typed: nil, browser: form.browser, request, context) }
        let outcome = try await approvals.settle(
            sealed, agreed: agreed, by: session, browser: form.browser, origin: context.origin(of: request))
        switch outcome {
        case .approved(let client):
            metrics.count(.approved)
            return pages.deviceAnswered(client.name, wasLetIn: true, to: pageVisitor(request, context))
        case .denied(let client):
            metrics.count(.denied)
            return pages.deviceAnswered(client.name, wasLetIn: false, to: pageVisitor(request, context))
        case .answeredBefore(let client, let wasLetIn):
            return pages.deviceAnswered(client.name, wasLetIn: wasLetIn, to: pageVisitor(request, context))
        case .gone: return try await entry(session, .gone, typed: nil, browser: form.browser, request, context)
        case .signInAgain: return signIn(for: nil)
        }
    }

    /// - Parameter kept: what the form begins with when it is shown again.
    private func look(
        _ typed: String, kept: String?, _ session: WebSession, browser: OpaqueSecret, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response {
        let finding = try await approvals.find(
            typed, for: session, browser: browser, origin: context.origin(of: request))
        switch finding {
        case .question(let question):
            var response = pages.deviceQuestion(
                question, user: try await name(of: session), switchURL: Self.otherAccountURL(for: typed),
                fields: [
                    HiddenField(name: "device", value: question.sealed),
                    try token(browser, request),
                ], to: pageVisitor(request, context))
            FormCookie.set(browser, in: &response.headers)
            return response
        case .letInBefore(let client):
            return pages.deviceAnswered(client.name, wasLetIn: true, to: pageVisitor(request, context))
        case .unknown:
            metrics.count(.unknown)
            return try await entry(session, .unknown, typed: kept, browser: browser, request, context)
        case .limited(let wait):
            metrics.count(.limited)
            return try await entry(session, .limited(wait), typed: kept, browser: browser, request, context)
        case .signInAgain: return signIn(for: typed)
        case .needsSecondFactor:
            return try await entry(session, .needsSecondFactor, typed: kept, browser: browser, request, context)
        }
    }

    private func entry(
        _ session: WebSession, _ notice: DeviceEntryNotice? = nil, typed: String?, browser: OpaqueSecret,
        _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        var response = pages.deviceEntry(
            notice, user: try await name(of: session), switchURL: Self.otherAccountURL(for: typed), typed: typed,
            fields: [try token(browser, request)], to: pageVisitor(request, context))
        FormCookie.set(browser, in: &response.headers)
        return response
    }

    /// The code in what came, as it is shown; of an address or a foreign form nothing else gets onto the page.
    private static func code(in typed: String) -> String? { DeviceUserCode(typed)?.shown }

    private func token(_ browser: OpaqueSecret, _ request: Request) throws -> HiddenField {
        HiddenField(
            name: BrowserForm.tokenField,
            value: try formTokens.make(for: .deviceGrant, binding: browser, session: request.sessionSecret))
    }

    /// A sign-in of the user's own in this browser: a session that came over an edge lets nobody in (contract §16.2).
    private func session(of request: Request) async throws -> WebSession? {
        guard let session = try await browsers.opened(by: request), session.isOwnSignIn else { return nil }
        return session
    }

    /// Whose account the device would use.
    private func name(of session: WebSession) async throws -> String {
        try await accounts.account(of: session.subject)?.shownName ?? session.subject.rawValue
    }

    private func signIn(for typed: String?) -> Response {
        .seeOther("\(issuer)\(SignInController.path(backTo: Self.path(for: typed)))")
    }

    /// The sign-in as somebody else, which comes back with the code.
    private static func otherAccountURL(for typed: String?) -> String {
        SignInErrand(redirect: path(for: typed)).forAnother.url
    }

    /// The page, with the code where that is known.
    private static func path(for typed: String?) -> String {
        typed.flatMap { DeviceUserCode($0) }.map { DevicePath.complete($0.shown) } ?? DevicePath.page
    }
}

/// What the page says before it asks for a code.
enum DeviceEntryNotice: PageNotice {
    case unknown
    case stale
    case gone
    case limited(Duration)
    case needsSecondFactor

    /// The text's key in the section `device`.
    var key: String {
        switch self {
        case .unknown: "unknown"
        case .stale: "stale"
        case .gone: "gone"
        case .limited: "limited"
        case .needsSecondFactor: "needs_second_factor"
        }
    }

    var wait: Duration? { if case .limited(let wait) = self { wait } else { nil } }

    var code: ErrorCode? {
        switch self {
        case .unknown, .stale, .gone: .invalidRequest
        case .limited: .rateLimited
        case .needsSecondFactor: .accessDenied
        }
    }
}

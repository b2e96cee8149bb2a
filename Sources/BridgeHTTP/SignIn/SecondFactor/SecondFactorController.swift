import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/account/second-factor`: set up a second factor, remove it, get new recovery codes.
struct SecondFactorController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, AccountPath.secondFactor, "secondFactor", as: .page, .session, show),
        Route(.post, AccountPath.secondFactor, "changeSecondFactor", as: .page, .sessionForm, change),
    ]

    static let place: Origins.Purposes? = [.provider, .console]
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let enrolment: SecondFactorEnrolment

    @Sendable func show(_ request: Request, context: BridgeRequestContext, visit: Visit) async throws -> Response {
        try await page(visit)
    }

    @Sendable func change(
        _ request: Request, context: BridgeRequestContext, sent: (visit: Visit, form: BrowserForm)
    ) async throws -> Response {
        let (visit, form) = sent
        let session = visit.session
        let draft = form.parameters["draft"]
        guard form.isOurs else { return try await page(visit, .stale, draft: draft) }
        let code = form.parameters["code"] ?? ""
        let origin = context.recognisedOrigin(of: request)
        guard let what = form.parameters["what"].flatMap(SecondFactorForm.init(rawValue:)) else {
            throw OAuthError(.invalidRequest, "the form does not say what to do")
        }
        let outcome: SecondFactorOutcome
        switch what {
        case .enrol:
            outcome = try await enrolment.enrol(draft ?? "", code: code, session: session, origin: origin)
        case .remove: outcome = try await enrolment.remove(code: code, session: session, origin: origin)
        case .recoveryCodes:
            outcome = try await enrolment.renewRecoveryCodes(code: code, session: session, origin: origin)
        }
        switch outcome {
        case .enrolled(let codes, let recognition):
            return try await shown(codes, isNewFactor: true, visit).knowingBrowser(by: recognition)
        case .enrolledBefore: return try await page(visit, .shownBefore)
        case .recoveryCodes(let codes): return try await shown(codes, isNewFactor: false, visit)
        case .removed(let recognition): return try await page(visit, .removed).knowingBrowser(by: recognition)
        case .wrongCode: return try await page(visit, .wrongCode(what), draft: draft)
        case .stale: return try await page(visit, .stale)
        case .conflict: return try await page(visit, .conflict)
        case .limited(let wait): return try await page(visit, .limited(wait))
        }
    }

    /// On the way to where somebody looks, and where.
    struct Journey: Sendable {
        let isForConsole: Bool
        /// Ours, that shows the page.
        let origin: WebOrigin

        private var page: String { isForConsole ? AccountPath.secondFactorForConsole : AccountPath.secondFactor }

        /// To the sign-in and back: also for somebody who is signed in, but not since a moment ago.
        var signIn: Response { .seeOther("\(origin)\(SignInController.path(backTo: page))") }

        /// For the sender of a form whose session is over.
        var signInAfterLostForm: Response { .seeOther("\(origin)\(SignInController.path(afterLostForm: page))") }
    }

    /// Who looks.
    struct Visit: Sendable {
        let found: SignedIn
        /// The secret of the session.
        let secret: OpaqueSecret?
        let browser: OpaqueSecret
        let journey: Journey
        let visitor: PageVisitor

        var session: WebSession { found.session }
    }

    /// - Parameter draft: one that was shown before, so that a mistyped code does not cost a new set-up of the app.
    private func page(
        _ visit: Visit, _ notice: SecondFactorNotice? = nil, draft: String? = nil
    ) async throws -> Response {
        let session = visit.session
        let content: SecondFactorPage.Content
        switch try await enrolment.standing(of: session.subject) {
        case .noPassword: content = .unavailable
        case _ where !enrolment.isRecent(session): return visit.journey.signIn
        case .enrolled(_, let left): content = .enrolled(recoveryCodesLeft: left)
        case .notEnrolled(let account):
            let draft =
                try draft.flatMap { enrolment.draft(sealed: $0, in: session) } ?? enrolment.draft(in: session)
            content = .draft(
                sealed: draft.sealed, typed: draft.typed,
                uri: draft.uri(account: account.username?.text ?? account.shownName, issuer: pages.siteName))
        }
        var response = pages.secondFactor(
            SecondFactorPage(
                content: content, notice: notice,
                formToken: try formTokens.make(
                    for: .secondFactor, binding: visit.browser, session: visit.secret),
                isForConsole: visit.journey.isForConsole),
            to: visit.visitor)
        FormCookie.set(visit.browser, in: &response.headers)
        return response
    }

    private func shown(_ codes: [RecoveryCode], isNewFactor: Bool, _ visit: Visit) async throws -> Response {
        // The console wants a sign-in with the new factor, and leads to it by itself.
        let next =
            visit.journey.isForConsole ? SignInController.path(backTo: ConsolePath.home) : AccountPath.secondFactor
        return pages.recoveryCodes(
            codes, of: try await enrolment.username(of: visit.session.subject), isNewFactor: isNewFactor, next: next,
            to: visit.visitor)
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/account/second-factor`: set up a second factor, remove it, get new recovery codes.
struct SecondFactorController: Sendable {
    let enrolment: SecondFactorEnrolment
    let sessions: WebSessions
    let formTokens: FormTokens
    let pages: Pages
    let origins: OriginReader
    let random: RandomSource

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try FormParameters(parsing: (request.uri.query ?? "").utf8)
        let visit = Visit(
            isForConsole: query["for"] == "console", secret: request.sessionSecret,
            browser: FormCookie.binding(of: request, random: random),
            origin: origins.own(of: request), visitor: PageVisitor(request, context))
        guard let session = try await session(request) else { return signIn(visit) }
        return try await page(session, visit)
    }

    @Sendable func change(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let form = try await BrowserForm.read(
            request, as: .secondFactor, isOfSession: true, formTokens: formTokens, random: random)
        let visit = Visit(
            isForConsole: form.parameters["for"] == "console", secret: request.sessionSecret, browser: form.browser,
            origin: origins.own(of: request), visitor: PageVisitor(request, context))
        let draft = form.parameters["draft"]
        guard let session = try await session(request) else { return signIn(visit) }
        guard form.isOurs else { return try await page(session, visit, .stale, draft: draft) }
        let code = form.parameters["code"] ?? ""
        let origin = context.recognisedOrigin(of: request)
        let outcome: SecondFactorOutcome
        switch form.parameters["what"] {
        case "enrol":
            outcome = try await enrolment.enrol(draft ?? "", code: code, session: session, origin: origin)
        case "remove": outcome = try await enrolment.remove(code: code, session: session, origin: origin)
        case "recovery-codes":
            outcome = try await enrolment.renewRecoveryCodes(code: code, session: session, origin: origin)
        default: throw OAuthError(.invalidRequest, "the form does not say what to do")
        }
        switch outcome {
        case .enrolled(let codes): return shown(codes, isNewFactor: true, visit)
        case .recoveryCodes(let codes): return shown(codes, isNewFactor: false, visit)
        case .removed: return try await page(session, visit, .removed)
        case .wrongCode: return try await page(session, visit, .wrongCode, draft: draft)
        case .stale: return try await page(session, visit, .stale)
        case .conflict: return try await page(session, visit, .conflict)
        case .limited(let wait): return try await page(session, visit, .limited(wait))
        }
    }

    /// Who looks, and on the way to where.
    private struct Visit {
        let isForConsole: Bool
        /// Of the session.
        let secret: OpaqueSecret?
        let browser: OpaqueSecret
        /// Ours, that shows the page.
        let origin: WebOrigin
        let visitor: PageVisitor
    }

    /// - Parameter draft: one that was shown before, so that a mistyped code does not cost a new set-up of the app.
    private func page(
        _ session: WebSession, _ visit: Visit, _ notice: SecondFactorNotice? = nil, draft: String? = nil
    ) async throws -> Response {
        let content: SecondFactorPage.Content
        switch try await enrolment.standing(of: session.subject) {
        case .noPassword: content = .unavailable
        case _ where !enrolment.isRecent(session): return signIn(visit)
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
                isForConsole: visit.isForConsole),
            to: visit.visitor)
        FormCookie.set(visit.browser, in: &response.headers)
        return response
    }

    private func shown(_ codes: [RecoveryCode], isNewFactor: Bool, _ visit: Visit) -> Response {
        // The console wants a sign-in with the new factor, and leads to it by itself.
        let next = visit.isForConsole ? Self.signInPath(for: ConsolePath.home) : AccountPath.secondFactor
        return pages.recoveryCodes(codes, isNewFactor: isNewFactor, next: next, to: visit.visitor)
    }

    /// To the sign-in and back: also for somebody who is signed in, but not since a moment ago.
    private func signIn(_ visit: Visit) -> Response {
        let path = visit.isForConsole ? AccountPath.secondFactorForConsole : AccountPath.secondFactor
        return Response(
            status: .seeOther,
            headers: [
                .location: "\(visit.origin)\(Self.signInPath(for: path))", .cacheControl: "no-store",
                .referrerPolicy: "no-referrer",
            ])
    }

    private static func signInPath(for path: String) -> String {
        "\(SignInController.path)?redirect=\(PercentEncoding.encode(path))"
    }

    private func session(_ request: Request) async throws -> WebSession? {
        guard let secret = request.sessionSecret else { return nil }
        return try await sessions.lookUp(secret)
    }
}

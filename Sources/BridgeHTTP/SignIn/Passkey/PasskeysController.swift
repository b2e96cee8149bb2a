import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/account/passkeys`: which passkeys sign the user in, one more, and one less.
struct PasskeysController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "passkeys", as: .page, .secretSession(at: path), show).shownAgain(.withoutQuery),
        Route(.post, path, "changePasskeys", as: .page, .secretSessionForm(.passkeys, at: path), change),
    ]

    static let path = AccountPath.passkeys
    static let place: Origins.Purposes? = [.provider, .console]
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let enrolment: PasskeyEnrolment

    @Sendable func show(_ request: Request, context: BridgeRequestContext, found: SignedIn) async throws -> Response {
        let notice: PasskeysNotice? =
            switch request.uri.query {
            case "added": .added
            case "removed": .removed
            default: nil
            }
        return try await page(found.session, notice, request, context)
    }

    @Sendable func change(
        _ request: Request, context: BridgeRequestContext, sent: (found: SignedIn, form: BrowserForm)
    ) async throws -> Response {
        let session = sent.found.session
        let form = sent.form.parameters
        let origin = context.origin(of: request)
        guard sent.form.isOurs else { return try await page(session, .stale, request, context) }
        let outcome: PasskeyOutcome
        switch form["what"] {
        case "add":
            guard let party = PasskeyParty(origins.own(of: request)) else {
                return try await page(session, .refused, request, context)
            }
            outcome = try await enrolment.add(
                MadePasskey(form), to: form["challenge"] ?? "",
                named: Passkey.name(form["name"] ?? "") ?? suggestedName(request, context), at: party, in: session,
                origin: origin)
        case "remove": outcome = try await enrolment.remove(form["passkey"] ?? "", in: session, origin: origin)
        default: throw OAuthError(.invalidRequest, "the form does not say what to do")
        }
        switch outcome {
        case .added: return onward("\(Self.path)?added", request)
        case .removed: return onward("\(Self.path)?removed", request)
        case .notSignedIn: return onward(SignInController.path(backTo: Self.path), request)
        case .refused: return try await page(session, .refused, request, context)
        case .stale: return try await page(session, .stale, request, context)
        case .taken: return try await page(session, .taken, request, context)
        case .tooMany: return try await page(session, .tooMany, request, context)
        }
    }

    private func page(
        _ session: WebSession, _ notice: PasskeysNotice?, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let standing = try await enrolment.standing(in: session)
        var account: Account?
        switch standing {
        // Has no sign-in to be led to, and no passkey.
        case .noAccount: break
        // A session that came over an edge is somebody's who need not be the user: it is shown nothing.
        case _ where !session.isOwnSignIn: return onward(SignInController.path(backTo: Self.path), request)
        case .unavailable, .needsSignIn: break
        case .open(let found): account = found
        }
        let visitor = pageVisitor(request, context)
        let known = try await enrolment.passkeys(of: session.subject)
        var asked: PasskeysPage.Asked?
        if let account, known.count < Passkey.limit, let party = PasskeyParty(origins.own(of: request)) {
            asked = PasskeysPage.Asked(
                draft: try enrolment.draft(for: account, besides: known, in: session, at: party), party: party,
                suggestedName: suggestedName(request, context))
        }
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.passkeys(
            PasskeysPage(
                passkeys: known, here: origins.own(of: request).host, asked: asked, standing: standing, notice: notice,
                formToken: try formTokens.make(for: .passkeys, binding: binding, session: request.sessionSecret)),
            to: visitor)
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// What users may know the passkey by who give it no name of their own.
    private func suggestedName(_ request: Request, _ context: BridgeRequestContext) -> String {
        let visitor = pageVisitor(request, context)
        let language = pages.language(for: visitor)
        return pages.browser(context.origin(of: request).userAgent, language)
            ?? pages.texts.text("passkeys", "nameless", in: language)
    }
}

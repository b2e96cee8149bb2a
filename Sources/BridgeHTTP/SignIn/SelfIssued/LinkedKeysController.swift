import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/account/phone-keys`: which phones' keys sign the user in, one more, and one less (contract §10).
struct LinkedKeysController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "phoneKeys", as: .page, .secretSession(at: path), show).shownAgain(.withoutQuery),
        Route(.post, path, "changePhoneKeys", as: .page, .secretSessionForm(.linkedKeys, at: path), change),
    ]

    static let path = AccountPath.linkedKeys
    static let place: Origins.Purposes? = [.provider]
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let linkedKeys: LinkedKeys
    let phone: SelfIssuedSignIn

    @Sendable func show(_ request: Request, context: BridgeRequestContext, found: SignedIn) async throws -> Response {
        try await page(found.session, request.uri.query == "linked" ? .linked : nil, request, context)
    }

    @Sendable func change(
        _ request: Request, context: BridgeRequestContext, sent: (found: SignedIn, form: BrowserForm)
    ) async throws -> Response {
        let session = sent.found.session
        let form = sent.form
        let origin = context.origin(of: request)
        guard form.isOurs else { return try await page(session, .stale, request, context) }
        do {
            switch form.parameters["what"] {
            case "unlink":
                switch try await linkedKeys.unlink(form.parameters["key"] ?? "", in: session, origin: origin) {
                case .unlinked, .unknown: return try await page(session, .unlinked, request, context)
                case .lastWayIn: return try await page(session, .lastWayIn, request, context)
                }
            case "link":
                guard let proof = request.selfIssuedProof.flatMap({ phone.proof(sealed: $0) }),
                    // What no page offers is refused under its own name.
                    !proof.mayBeLinked || proof.proof.isShown(as: form.parameters["offered"] ?? "")
                else { return try await page(session, .stale, request, context) }
                try await linkedKeys.link(proof, told: form.parameters["told"] == "yes", in: session, origin: origin)
                var response = onward("\(Self.path)?linked", request)
                SelfIssuedCookies.clear(SelfIssuedCookies.proofName, in: &response.headers)
                return response
            case "discard":
                var response = onward(Self.path, request)
                SelfIssuedCookies.clear(SelfIssuedCookies.proofName, in: &response.headers)
                return response
            default: throw OAuthError(.invalidRequest, "the form does not say what to do")
            }
        } catch let refusal as SelfIssuedRefusal {
            if let wait = refusal.retryAfter {
                return pages.limited(retryAfter: wait, of: .signIns, to: pageVisitor(request, context))
            }
            switch refusal.reason {
            case .notSignedIn: return onward(SignInController.path(backTo: Self.path), request)
            case .linkedElsewhere: return try await page(session, .elsewhere, request, context)
            default: return try await page(session, .refused, request, context)
            }
        }
    }

    private func page(
        _ session: WebSession, _ notice: LinkedKeysNotice?, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        let keys = try await linkedKeys.keys(of: session.subject)
        let isOpen = try await linkedKeys.mayHaveKeys(session.subject)
        let parked = isOpen ? request.selfIssuedProof.flatMap { phone.proof(sealed: $0) } : nil
        let offered = parked.flatMap { parked in
            keys.contains { $0.thumbprint == parked.proof.thumbprint } ? nil : parked
        }
        let notice = notice ?? (offered?.mayBeLinked == false ? .beginAgain : nil)
        var response = pages.linkedKeys(
            LinkedKeysPage(
                keys: keys, notice: notice, isDetailed: session.isOwnSignIn, isOpen: isOpen,
                isOffered: phone.configuration.isOffered,
                mayChange: try await linkedKeys.mayChangeKeys(session),
                offered: offered.flatMap { $0.mayBeLinked ? $0.proof : nil },
                formToken: try formTokens.make(for: .linkedKeys, binding: binding, session: request.sessionSecret)),
            to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }
}

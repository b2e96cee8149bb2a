import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// A key that is nobody's: its holder links it to an account, or gets a new one.
extension SelfIssuedController {
    @Sendable func showChoice(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard let found = request.selfIssuedProof.flatMap({ phone.proof(sealed: $0) }) else {
            return redirect(to: SignInController.path)
        }
        let errand = SignInErrand(try request.queryOfLink())
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.selfIssuedChoice(
            found.proof, formToken: try formTokens.make(for: .selfIssued, binding: binding), errand: errand,
            to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    @Sendable func choose(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        let errand = SignInErrand(try request.queryOfLink())
        guard form.isOurs else { return redirect(to: Self.choicePath + errand.querySuffix) }
        guard let found = request.selfIssuedProof.flatMap({ phone.proof(sealed: $0) }) else {
            return redirect(to: SignInController.path)
        }
        switch form.parameters["what"] {
        case "link":
            guard let session = try await browsers.opened(by: request),
                try await linkedKeys.admitChange(in: session, origin: context.origin(of: request))
            else {
                return redirect(to: SignInController.path(backTo: LinkedKeysController.path))
            }
            return redirect(to: LinkedKeysController.path)
        case "new":
            do {
                let opened = try await phone.createAccount(
                    for: found, told: form.parameters["told"] == "yes",
                    replacing: try await browsers.replaceable(in: request), origin: context.origin(of: request))
                return try await signedIn(.signedIn(opened, errand: errand.query), request, context)
            } catch let refusal as SelfIssuedRefusal {
                metrics.count(refusal)
                return refusedPage(refusal, pageVisitor(request, context))
            }
        default: throw OAuthError(.invalidRequest, "the form does not say what to do")
        }
    }
}

import Bridge
import HTTPTypes
import Hummingbird

/// Gathers the evidence that the redeemer decides by (contract §4.1, §4.2); decides nothing itself.
struct VisitReader: Sendable {
    let formTokens: FormTokens

    /// What a request presents and how it came.
    struct Reading {
        let token: RedemptionRequest.PresentedToken
        let visit: Visit
        let parameters: RedemptionParameters
        /// Whether the page that asks about another account's session was answered with yes, in that session.
        let confirmsSwitch: Bool
    }

    /// - Parameters:
    ///   - form: the body of a POST.
    ///   - own: our origin that the request came to.
    func read(_ request: Request, form: [UInt8]?, at own: WebOrigin) -> Reading {
        let query = RedemptionParameters(parsing: (request.uri.query ?? "").utf8)
        let body = form.map { RedemptionParameters(parsing: $0) }
        let parameters = body ?? query
        let header = request.headers.values(of: .loginToken).filter { !$0.isEmpty }

        // A POST's query is not a carrier, but a token in it besides another one is a second reading all the same.
        let isConflicting =
            query.isTokenRepeated || body?.isTokenRepeated == true || parameters.verifiers.count > 1
            || header.count > 1 || (query.tokens + (body?.tokens ?? []) + header).count > 1
        let carried: (carrier: Visit.Carrier, token: String?)
        if let body {
            carried = (.form, body.tokens.first)
        } else if let token = header.first {
            carried = (.header, token)
        } else {
            carried = query.tokens.first.map { (.query, $0) } ?? (.none, nil)
        }
        let isSwitch = isOurs(request, parameters: body, .switchAccount, in: request.sessionSecret)
        return Reading(
            token: isConflicting ? .conflicting : carried.token.map { .one(Secret($0)) } ?? .none,
            visit: Visit(
                carrier: carried.carrier,
                isPrefetch: PrefetchSignal.isPresent(in: request.headers),
                fetchSite: FetchMetadata.site(request.headers),
                isDocumentNavigation: FetchMetadata.isDocumentNavigation(request.headers),
                formIsOurs: isSwitch || isOurs(request, parameters: body, .redeem),
                submittedByScript: body?.isAutomatic ?? false,
                origin: FetchMetadata.origin(request.headers, own: own)),
            parameters: parameters, confirmsSwitch: isSwitch && parameters.confirmsSwitch)
    }

    private func isOurs(
        _ request: Request, parameters: RedemptionParameters?, _ purpose: FormTokens.Purpose,
        in session: OpaqueSecret? = nil
    ) -> Bool {
        guard let token = parameters?.formToken, let binding = request.formBinding else { return false }
        return formTokens.verify(token, for: purpose, binding: binding, session: session)
    }
}

extension HTTPField.Name {
    static let loginToken = literal("Drawbridge-Login-Token")
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

extension RouteGuard where Group: BrowserGroup, Admitted == BrowserForm {
    /// A form of ours that came back; ``BrowserForm/isOurs`` says whether it is really ours.
    /// - Parameters:
    ///   - isOfSession: whether it acts in the browser's session.
    ///   - field: the name of its token.
    static func form(
        _ purpose: FormTokens.Purpose, isOfSession: Bool, field: String = BrowserForm.tokenField
    ) -> Self {
        Self(.form) { group, handler in
            let kit = group.kit
            return { request, context in
                let form = try await BrowserForm.read(
                    request, as: purpose, isOfSession: isOfSession, field: field, formTokens: kit.formTokens,
                    random: kit.random)
                return try await handler(request, context, form)
            }
        }
    }
}

extension RouteGuard where Group == AuthCheckController, Admitted == SignedIn {
    /// A browser that is signed in at the website that asks, as well as it wants and as lately as its proxy demands.
    static var session: Self {
        Self(.session) { group, handler in
            { received, context in
                try CheckParameters.check(received.uri.query)
                let demand = try AuthenticationDemand(query: received.uri.query)
                if let query = received.uri.query { _ = try AuthCheckController.identityNames(query) }
                let request = try group.websites.apply(to: received, logger: context.logger)
                guard let found = try await group.sessions.visitor(of: request) else {
                    return try group.refusal(
                        of: request, isStepUp: false, acrValues: demand?.acrValues ?? [], AuthCheckController.signedOut)
                }
                let now = group.time.now()
                if let shortfall = group.shortfall(of: found.session, demand: demand, by: request, at: now) {
                    let other = try await group.sessions.visitor(of: request, besides: found) { session in
                        group.shortfall(of: session, demand: demand, by: request, at: now) == nil
                    }
                    if let other { return try await handler(request, context, other) }
                    let refusal = ChallengedError(
                        error: OAuthError(.insufficientUserAuthentication),
                        headers: [.wwwAuthenticate: shortfall.challenge, .cacheControl: "no-store"])
                    return try group.refusal(
                        of: request, isStepUp: true, acrValues: shortfall.acrValues, refusal)
                }
                return try await handler(request, context, found)
            }
        }
    }
}

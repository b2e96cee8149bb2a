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

/// A browser that a check lets in.
struct AdmittedCheck: Sendable {
    let visitor: SignedIn
    /// What the proxy wants to be told of its user.
    let identityNames: [String]

    fileprivate init(visitor: SignedIn, identityNames: [String]) {
        self.visitor = visitor
        self.identityNames = identityNames
    }
}

extension RouteGuard where Group == AuthCheckController, Admitted == AdmittedCheck {
    /// A browser that is signed in at the website that asks, as well as it wants and as lately as its proxy demands.
    static var session: Self {
        Self(.session) { group, handler in
            { received, context in
                let parameters = try CheckParameters(received.query())
                let demand = try AuthenticationDemand(parameters)
                let names = try AuthCheckController.identityNames(parameters)
                let request = try group.websites.apply(to: received, asking: parameters, logger: context.logger)
                guard let found = try await group.sessions.visitorToLetIn(by: request) else {
                    return try group.refusal(
                        of: request, asking: parameters, isStepUp: false, acrValues: demand?.acrValues ?? [],
                        AuthCheckController.signedOut)
                }
                let now = group.time.now()
                if let shortfall = group.shortfall(of: found.session, demand: demand, by: request, at: now) {
                    let other = try await group.sessions.visitorToLetIn(by: request, besides: found) { session in
                        group.shortfall(of: session, demand: demand, by: request, at: now) == nil
                    }
                    if let other {
                        return try await handler(request, context, AdmittedCheck(visitor: other, identityNames: names))
                    }
                    let refusal = ChallengedError(
                        error: OAuthError(.insufficientUserAuthentication),
                        headers: [.wwwAuthenticate: shortfall.challenge, .cacheControl: "no-store"])
                    return try group.refusal(
                        of: request, asking: parameters, isStepUp: true, acrValues: shortfall.acrValues, refusal)
                }
                return try await handler(request, context, AdmittedCheck(visitor: found, identityNames: names))
            }
        }
    }
}

import OAuth2

/// Says what a redirect or a redemption would come to, and which rule decides. Changes nothing: nothing is consumed,
/// counted or written.
package final class Explainer: Sendable {
    private let codec: LoginTokenCodec
    private let clients: Reloadable<ClientDirectory>
    private let store: any LoginTokenStore
    private let examiner: RedemptionExaminer
    private let publicOrigin: WebOrigin
    private let time: TimeSource

    package init(
        codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>, subjects: any UserStore,
        store: any LoginTokenStore, parents: ParentSessions, publicOrigin: WebOrigin, time: TimeSource
    ) {
        self.codec = codec
        self.clients = clients
        self.store = store
        examiner = RedemptionExaminer(
            clients: clients, parents: parents,
            isDisabled: { subject in try await subjects.standing(of: subject) == .disabled })
        self.publicOrigin = publicOrigin
        self.time = time
    }

    /// Would this website take this redirect, and where would a sign-in land?
    package func redirect(_ value: [UInt8], client id: ClientID) -> Explanation {
        RedirectExplainer.explain(value, for: clients.current[id], publicOrigin: publicOrigin)
    }

    /// Would this login token be redeemed?
    /// - Parameter address: that of the browser that would redeem; without it a binding to a network is not judged.
    package func redemption(
        _ token: Secret<String>, redirect: [UInt8]?, address: NetworkAddress?
    ) async throws -> Explanation {
        var explanation = Explanation(rule: "login_token")
        let now = time.now()
        let verification = try await codec.verify(token, at: now)
        guard let (claims, isExpired) = explanation.read(verification) else { return explanation }
        explanation.tokenID = claims.id
        let website = clients.current[claims.audience]
        let candidate = candidate(claims, isExpired: isExpired, website, address, at: now)
        guard try await examiner.explain(candidate, store: store, in: &explanation), let website else {
            return explanation
        }
        if claims.binding.challenge != nil { explanation.leaveOpen(ExplainedCheck.codeVerifier) }
        if claims.binding.handOff != nil {
            explanation.note("cookie of the hand-off", "needed, or a click is asked for; not judged here")
        }
        noteLanding(of: website, sealed: claims.target, redirect, in: &explanation)
        return explanation
    }

    /// A sealed path is judged again when the token is used, for `return_paths` may have changed. A refused one never
    /// fails a sign-in: it lands on the default path (contract §4.3).
    private func noteLanding(
        of website: Client, sealed target: String?, _ redirect: [UInt8]?, in explanation: inout Explanation
    ) {
        guard let wanted = target.map({ Array($0.utf8) }) ?? redirect else { return }
        if let target { explanation.note("sealed target", target) }
        let page = Landing.decide(
            redirect.map(RedemptionRequest.RedirectParameter.bytes) ?? .absent, sealed: target, website: website,
            ownOrigin: publicOrigin)
        if let reason = page?.refusal?.reason, reason == .differsFromSealed {
            explanation.note("redirect of the request", "failed: \(reason.rawValue)")
        }
        for step in RedirectExplainer(website, publicOrigin: publicOrigin).explain(wanted).steps {
            explanation.note(step.check, step.outcome)
        }
    }

    /// A browser that nothing is known of comes with the token.
    private func candidate(
        _ claims: LoginTokenClaims, isExpired: Bool, _ website: Client?, _ address: NetworkAddress?, at now: Timestamp
    ) -> RedemptionCandidate {
        var candidate = RedemptionCandidate(
            channel: .browser, claims: claims, isExpired: isExpired, website: website,
            // Where it lands is told afterwards; that it lands at all is what is asked here.
            landing: website.flatMap {
                Landing.decide(
                    .absent, sealed: claims.target, website: $0, ownOrigin: publicOrigin, issuer: publicOrigin)
            }, origin: RequestOrigin(address: address, userAgent: nil, requestID: "explain"), at: now)
        candidate.judgedBinding = LoginTokenBinding(network: address == nil ? .none : claims.binding.network)
        return candidate
    }
}

import OAuth2

/// Says what a redirect or a redemption would come to, and which rule decides. Changes nothing: nothing is consumed,
/// counted or written.
package struct Explainer: Sendable {
    private let codec: LoginTokenCodec
    private let clients: Reloadable<ClientDirectory>
    private let subjects: any SubjectStore
    private let store: any LoginTokenStore
    private let parents: ParentSessions
    private let publicOrigin: WebOrigin
    private let time: TimeSource

    package init(
        codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>, subjects: any SubjectStore,
        store: any LoginTokenStore, parents: ParentSessions, publicOrigin: WebOrigin, time: TimeSource = .system
    ) {
        self.codec = codec
        self.clients = clients
        self.subjects = subjects
        self.store = store
        self.parents = parents
        self.publicOrigin = publicOrigin
        self.time = time
    }

    /// Would this website take this redirect, and where would a sign-in land?
    package func redirect(_ value: [UInt8], client id: ClientID) -> Explanation {
        var explanation = Explanation(rule: "return_paths")
        guard explanation.check("client is known", fails: clients.current[id] == nil ? "unknown_client" : nil),
            let website = clients.current[id],
            explanation.check(
                "client has return paths", fails: website.returnPaths.defaultPath == nil ? "no_return_paths" : nil)
        else { return explanation }
        add(value, website, to: &explanation)
        return explanation
    }

    /// Would this login token be redeemed?
    /// - Parameter address: that of the browser that would redeem; without it a binding to a network is not judged.
    package func redemption(
        _ token: Secret<String>, redirect: [UInt8]?, address: NetworkAddress?
    ) async throws -> Explanation {
        var explanation = Explanation(rule: "login_token")
        let now = time.now()
        let claims: LoginTokenClaims
        switch try await codec.verify(token, at: now) {
        case .refused(let flaw):
            explanation.check("token is ours and unchanged", fails: RedemptionRefusal(flaw).rawValue)
            return explanation
        case .expired(let expired):
            explanation.check("token is ours and unchanged", fails: nil)
            explanation.check("token is alive", fails: "expired", found: expired.expiresAt.rfc3339)
            return explanation
        case .verified(let verified): claims = verified
        }
        explanation.check("token is ours and unchanged", fails: nil)
        explanation.check("token is alive", fails: nil, found: "until \(claims.expiresAt.rfc3339)")
        let directory = clients.current
        let website = directory[claims.audience]
        guard
            explanation.check(
                "website is known", fails: website?.kind == .web ? nil : "unknown_website",
                found: claims.audience.rawValue),
            let website, explanation.check("app may open the website", fails: rightRefusal(claims, website, directory)),
            explanation.check("network binding", fails: bindingRefusal(claims, address)),
            explanation.check(
                "user may sign in",
                fails: try await subjects.standing(of: claims.subject) == .disabled ? "subject_disabled" : nil),
            explanation.check(
                "parent session lives",
                fails: try await parentRefusal(claims, at: now)),
            explanation.check("token is unused", fails: try await usedReason(claims.id))
        else { return explanation }
        if claims.binding.challenge != nil { explanation.note("code verifier", "needed; not judged here") }
        if let target = claims.target {
            explanation.note("sealed target", target)
        } else if let redirect {
            var landing = Explanation(rule: "return_paths")
            add(redirect, website, to: &landing)
            // A refused redirect never fails a sign-in: it lands on the default path (contract §4.3).
            for step in landing.steps { explanation.note(step.check, step.outcome) }
        }
        return explanation
    }

    private func add(_ value: [UInt8], _ website: Client, to explanation: inout Explanation) {
        let origin = (website.publicOrigin ?? publicOrigin).description
        switch website.returnPaths.decide(value) {
        case .accepted(let path):
            explanation.check("redirect is allowed", fails: nil)
            if let entry = website.returnPaths.entry(allowing: path) {
                explanation.note("allowed by", entry.text)
                explanation.decided(by: entry.text)
            }
            explanation.note("lands on", origin + path.serialized)
        case .refused(let refusal):
            explanation.check("redirect is allowed", fails: refusal.rawValue)
            explanation.note("lands on", website.returnPaths.defaultPath.map { origin + $0.serialized } ?? "nowhere")
        }
    }

    private func rightRefusal(_ claims: LoginTokenClaims, _ website: Client, _ directory: ClientDirectory) -> String? {
        guard let app = directory[claims.clientID], app.canIssueLoginTokens, app.mayReach.contains(website.id) else {
            return RedemptionRefusal.clientWithoutRight.rawValue
        }
        return nil
    }

    private func bindingRefusal(_ claims: LoginTokenClaims, _ address: NetworkAddress?) -> String? {
        guard let address else { return nil }
        let network = LoginTokenBinding(network: claims.binding.network)
        return BindingCheck.failure(of: network, verifier: nil, address: address)?.rawValue
    }

    private func parentRefusal(_ claims: LoginTokenClaims, at now: Timestamp) async throws -> String? {
        if case .mayIssue = try await parents.standing(of: claims, at: now) { return nil }
        return RedemptionRefusal.parentSessionEnded.rawValue
    }

    private func usedReason(_ id: TokenID) async throws -> String? {
        switch try await store.state(of: id)?.status {
        case .redeemed: "replayed"
        case .revoked: "revoked"
        case .pending, nil: nil
        }
    }
}

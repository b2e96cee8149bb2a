import OAuth2

extension NativeSSOExchange {
    /// Finds out everything that the check wants to know.
    func facts(
        _ order: Order, secret: OpaqueSecret?, known: PresentedDeviceSecret?, settings: NativeSSOSettings,
        request: TokenRequest
    ) async throws -> NativeSSOFacts {
        let token = try await subjectToken(order, at: request.at)
        let session = try await session(token?.sessionID, at: request.at)
        let client = request.client
        var consented: Set<String> = []
        // A website that gets cookies gets no data of the user through scopes, so there is nothing to agree to.
        let isAskedForConsent = !client.isFirstParty && client.delivery != .cookies
        if isAskedForConsent, let token {
            consented = try await consents.consent(of: token.subject, to: client.id) ?? []
        }
        return NativeSSOFacts(
            at: request.at, settings: settings, issuer: issuer, client: client,
            audience: request.parameters["audience"], requestedScope: try request.requestedScope(), secret: known,
            secretHash: secret?.deviceSecretHash, proofKeyThumbprint: request.proofKeyThumbprint,
            subjectToken: token, sourceClient: token.flatMap { clients.current[$0.clientID] }, session: session,
            isSubjectDisabled: try await isDisabled(token?.subject, at: request.at),
            hasConsent: { [consented] scope in !isAskedForConsent || Set(scope.tokens).isSubset(of: consented) })
    }

    private func subjectToken(_ order: Order, at now: Timestamp) async throws -> NativeSSOFacts.SubjectToken? {
        switch order.kind {
        case .idToken:
            try await tokens.idTokens.learnKey(of: order.subjectToken)
            return tokens.idTokens.read(order.subjectToken).map { token in
                NativeSSOFacts.SubjectToken(
                    kind: .idToken, subject: token.subject, clientID: token.audience, sessionID: token.sessionID,
                    deviceSecretHash: token.deviceSecretHash)
            }
        case .accessToken:
            do {
                let claims = try await accessTokens.active(order.subjectToken, at: now)
                return NativeSSOFacts.SubjectToken(
                    kind: .accessToken, subject: claims.subject, clientID: claims.clientID,
                    sessionID: claims.sessionID, scope: claims.scope, proofKeyThumbprint: claims.proofKeyThumbprint)
            } catch is BearerRefusal {
                return nil
            }
        }
    }

    /// One that lately was alive need not be read again: whether it still is, the transaction that uses the secret asks.
    private func session(_ id: SessionID?, at now: Timestamp) async throws -> AppSession? {
        guard let id else { return nil }
        if let session = try await sessions.alive(id, at: now) { return session }
        return try await appSessions.appSession(id: id)
    }

    private func isDisabled(_ subject: Subject?, at now: Timestamp) async throws -> Bool {
        guard let subject else { return false }
        return try await subjects.isDisabled(subject, at: now)
    }
}

extension Authorizations {
    /// What the browser's session lacks for the request that a sign-in page is shown for.
    package func missing(
        for journey: String, browser: OpaqueSecret, session: WebSession
    ) async throws -> MissingProof {
        guard let (journey, reading) = open(journey, browser: browser), case .success(let request) = reading else {
            return .everything
        }
        let account = try await accounts.account(of: session.subject)
        return MissingProof.find(
            request,
            .init(session: session, account: account, demandedAt: journey.demandedAt, now: time.now()))
    }

    /// Asks the store only where the answer matters.
    func hasSecondFactor(_ session: WebSession?, for request: AuthorizationRequest) async throws -> Bool {
        guard let session, request.wishesForSecondFactor(beyond: session.authentication) else { return false }
        return try await accounts.account(of: session.subject)?.secondFactor != nil
    }
}

import OAuth2

extension LoginTokenIssuer {
    /// What an issue finds out about a bearer and the website that it asks for, as an administrator reads it, each with
    /// the reason in the audit log where the answer is no.
    ///
    /// Each supposes the answers before it. The checks themselves are ``check(_:bearer:origin:)``'s, here only told.
    static let questions: [(check: String, reason: String)] = [
        (appIsKnown, RefusalReason.unknownClient.rawValue),
        ("app may issue login tokens", RefusalReason.clientWithoutRight.rawValue),
        // No word of its own: the request is incomplete where no website is the default one.
        ("website is named, or there is a default one", ErrorCode.invalidRequest.rawValue),
        (ExplainedCheck.websiteIsKnown, RefusalReason.unknownTarget.rawValue),
        (ExplainedCheck.appMayOpenTheWebsite, RefusalReason.targetNotReachable.rawValue),
        ("website has return paths or redirect URIs", RefusalReason.targetWithoutPaths.rawValue),
        ("issuer may name the user", BearerRefusal.Reason.subjectOfAnotherIssuer.rawValue),
        (ExplainedCheck.userMaySignIn, RefusalReason.subjectDisabled.rawValue),
        ("session lives", RefusalReason.sessionEnded.rawValue),
        ("session may open websites", RefusalReason.chainedSession.rawValue),
        (ExplainedCheck.appsAboveMayOpenTheWebsite, RefusalReason.targetNotReachableAbove.rawValue),
        ("apps above share their sign-ins still", RefusalReason.sharedNoLonger.rawValue),
        (ExplainedCheck.signInIsEnough, RefusalReason.authenticationTooWeak.rawValue),
    ]
    private static let appIsKnown = "app is known"

    /// Adds what an issue for a website would come to, but for the limits (contract §13). Nothing is issued, counted
    /// or written.
    /// - Parameters:
    ///   - bearer: one that was verified.
    ///   - website: the `client_id` that would be asked for; `nil` for the default website.
    package func explain(
        _ bearer: BearerIdentity, opening website: String?, in explanation: inout Explanation
    ) async throws {
        let refusal = try await refusal(of: bearer, opening: website)
        let reason = refusal.map { $0.detail ?? $0.code.rawValue }
        for question in Self.questions {
            let isDecisive = question.reason == reason
            let found: String? =
                switch question.check {
                case Self.appIsKnown: bearer.clientID.rawValue
                case ExplainedCheck.websiteIsKnown: website ?? clients.current.defaultTarget?.rawValue
                default: nil
                }
            explanation.check(question.check, fails: isDecisive ? reason : nil, found: found)
            if isDecisive { return }
        }
        // One that has no question here is a refusal all the same.
        if let refusal { explanation.check("login token may be issued", refusedWith: refusal) }
    }

    /// - Returns: `nil` where a token would be issued.
    private func refusal(of bearer: BearerIdentity, opening website: String?) async throws -> OAuthError? {
        do {
            // Where the browser is matters for a binding alone, which is not asked for.
            try await check(
                LoginTokenIssueRequest(targetClientID: website), bearer: bearer,
                origin: RequestOrigin(address: nil, userAgent: nil, requestID: "explanation"))
            return nil
        } catch let error as OAuthError {
            return error
        }
    }
}

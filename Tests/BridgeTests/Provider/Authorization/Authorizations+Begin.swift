import Bridge
import OAuth2

extension Authorizations {
    /// What a client's request comes to that brings no login token, from a browser that is no app's web view.
    /// - Parameter browser: the browser's form binding.
    func begin(
        _ parameters: FormParameters, browser: OpaqueSecret, session: WebSession?, origin: RequestOrigin
    ) async throws -> AuthorizationOutcome {
        try await answer(
            try await prepare(parameters, browser: browser, isEmbedded: false, origin: origin), session: session,
            origin: origin)
    }
}

public import Foundation

// From the app into its web view (contract §5.4, §6).
extension Drawbridge {
    /// Exchanges the sign-in for the cookies of a web view.
    /// - Parameters:
    ///   - url: the page to be opened; only cookies that its host gets are given.
    ///   - webView: the client id of the web view; its registration says `delivery: cookies`.
    /// - Throws: ``ClientError/notSignedIn`` when there is no device secret to ask with.
    public func cookies(for url: URL, webView: String) async throws(ClientError) -> WebViewCookies {
        guard let page = SecureAddress(url.absoluteString), !page.isLoopbackHTTP || configuration.issuer.isLoopback
        else { throw .configuration("cookies go to https pages alone") }
        let endpoint = try await provider.metadata().tokenEndpoint
        guard let origin = SecureAddress(endpoint)?.host else { throw .provider(.endpoint("token_endpoint")) }
        let answer = try await withSignIn { signIn async throws(ClientError) in
            // Here, and not before: the renewal of an access token that is due may replace the secret (contract §5.4).
            guard let shared = try await currentSharedSignIn(), shared.isOf(signIn.subject) else { throw .notSignedIn }
            let answer = try await send(
                .form(
                    [
                        ("grant_type", TokenType.exchangeGrant), ("client_id", webView),
                        ("subject_token", signIn.accessToken.expose()), ("subject_token_type", TokenType.accessToken),
                        ("actor_token", shared.deviceSecret.expose()), ("actor_token_type", TokenType.deviceSecret),
                    ], to: endpoint, accept: CookieDescription.mediaType), proves: signIn.isBound)
            guard answer.status == 200 else { throw failure(answer, of: "the token endpoint") }
            return answer
        }
        guard answer.mediaType == CookieDescription.mediaType, let given = answer.decode(CookieDescription.self) else {
            throw answer.unexpected("\(webView) gets no cookies")
        }
        let fitting = given.cookies.filter { $0.reaches(page.host, from: origin) }
        guard !fitting.isEmpty else { throw .configuration("the provider's cookies do not reach \(page.host)") }
        return WebViewCookies(fitting, url: url, host: page.host)
    }
}

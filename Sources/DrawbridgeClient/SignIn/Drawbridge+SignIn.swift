// Sign-in through the browser (RFC 8252, OpenID Connect Core §3.1).
extension Drawbridge {
    /// The whole sign-in: opens the browser, checks what comes back, and keeps the tokens.
    /// - Returns: who is signed in.
    @discardableResult
    public func signIn(
        with browser: any SignInBrowser, options: SignInOptions = SignInOptions()
    ) async throws(ClientError) -> IDTokenClaims {
        let request = try await beginSignIn(redirect: browser.prepare(), options: options)
        return try await finishSignIn(request, answer: browser.open(request))
    }

    /// The first half, for apps that open the browser themselves: what to open.
    public func beginSignIn(
        redirect: RedirectAddress, options: SignInOptions = SignInOptions()
    ) async throws(ClientError) -> SignInRequest {
        SignInRequest(
            configuration, metadata: try await provider.metadata(), redirect: redirect, options: options,
            random: random)
    }

    /// The second half: checks the answer, redeems the code and keeps the tokens.
    /// - Parameter answer: the whole address that the browser brought back.
    /// - Returns: who is signed in.
    @discardableResult
    public func finishSignIn(_ request: SignInRequest, answer: String) async throws(ClientError) -> IDTokenClaims {
        let code = try SignInAnswer(answer, to: request).code
        var form: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code.expose()), ("redirect_uri", request.redirect.text),
            ("code_verifier", request.verifier.text.expose()),
        ]
        // A device that is known stays one device; a secret that is no longer good counts as absent (contract §5.1).
        let known = try await sharedDeviceSecret()
        if let known { form.append(("device_secret", known.expose())) }
        let tokens = try await token(form)
        guard let idToken = tokens.idToken else { throw .idToken(.missing) }
        let claims = try await verified(
            idToken,
            IDTokenCheck(
                issuer: configuration.issuer, clientID: configuration.clientID, nonce: request.nonce,
                accessToken: tokens.accessToken, deviceSecret: tokens.deviceSecret))
        if let secret = tokens.deviceSecret { try await share(secret, idToken) }
        try await keep(StoredSignIn(tokens, subject: claims.subject, at: time.now()))
        return claims
    }
}

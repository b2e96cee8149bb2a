import Foundation

// Access tokens and their renewal (RFC 6749 §6; rotation: RFC 9700 §4.14).
extension Drawbridge {
    /// An access token that is good for half a minute at least; renewed first when it is not.
    /// - Throws: ``ClientError/notSignedIn`` when there is none, or the provider has ended the sign-in.
    public func accessToken() async throws(ClientError) -> Redacted<String> {
        guard let signIn = try await stored() else { throw .notSignedIn }
        if signIn.expiresAt > time.now().addingTimeInterval(30) { return signIn.accessToken }
        return try await renewed().accessToken
    }

    /// Calls with an access token, and once more with a fresh one when the provider does not take the first: it may
    /// have been revoked, or its key changed.
    func withAccessToken<Value: Sendable>(
        _ call: (Redacted<String>) async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let token = try await accessToken()
        do throws(ClientError) {
            return try await call(token)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == "invalid_token" else { throw error }
        }
        return try await call(renewed().accessToken)
    }

    /// One renewal at a time: a second one with the same refresh token would look like a thief's (RFC 9700 §4.14.2).
    func renewed() async throws(ClientError) -> StoredSignIn {
        let task =
            refreshing
            ?? Task {
                do throws(ClientError) { return .success(try await renew()) } catch { return .failure(error) }
            }
        refreshing = task
        let result = await task.value
        if refreshing == task { refreshing = nil }
        return try result.get()
    }

    private func renew() async throws(ClientError) -> StoredSignIn {
        guard let signIn = try await stored() else { throw .notSignedIn }
        guard let refreshToken = signIn.refreshToken else { throw .notSignedIn }
        let shared = try await sharedSignIn()
        var form: [(name: String, value: String)] = [
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken.expose()),
        ]
        let isOurs = shared?.isOf(signIn.subject) ?? true
        if !isOurs {
            // Somebody else's sign-in is shared by now: ask for no device secret that would take its place.
            let scope = configuration.scope.filter { $0 != "device_sso" }
            form.append(("scope", scope.joined(separator: " ")))
        } else if let shared {
            // Without it the provider would make a second device of this one (contract §5.2).
            form.append(("device_secret", shared.deviceSecret.expose()))
        }
        let tokens: TokenAnswer
        do throws(ClientError) {
            tokens = try await token(form)
        } catch {
            guard case .refused(let refusal) = error, refusal.endsSignIn else { throw error }
            try await forget(signIn)
            throw .notSignedIn
        }
        var fresh = StoredSignIn(tokens, subject: signIn.subject, at: time.now())
        fresh.refreshToken = tokens.refreshToken ?? refreshToken
        // Kept before its ID token is looked at: the one before is used up.
        try await keep(fresh)
        try await check(tokens, subject: signIn.subject, isShared: isOurs)
        return fresh
    }

    private func check(_ tokens: TokenAnswer, subject: String, isShared: Bool) async throws(ClientError) {
        guard let idToken = tokens.idToken else { return }
        let secret = tokens.deviceSecret
        _ = try await verified(
            idToken,
            IDTokenCheck(
                issuer: configuration.issuer, clientID: configuration.clientID, subject: subject,
                accessToken: tokens.accessToken, deviceSecret: secret))
        if let secret, isShared { try await share(secret, idToken) }
    }

    /// Forgets a sign-in that has ended, unless another process has renewed it meanwhile.
    private func forget(_ dead: StoredSignIn) async throws(ClientError) {
        guard try await stored()?.refreshToken == dead.refreshToken else { return }
        try await store.remove(StoredSignIn.item(of: configuration))
    }
}

import Foundation

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
        try await provider.needKeys()
        return SignInRequest(
            configuration, metadata: try await provider.metadata(), redirect: redirect, options: options,
            proofThumbprint: try await proofThumbprint(), random: random)
    }

    /// The second half: checks the answer, redeems the code and keeps the tokens, also when its task is cancelled
    /// meanwhile.
    /// - Parameters:
    ///   - request: what the first half gave.
    ///   - answer: the whole address that the browser brought back.
    /// - Returns: who is signed in.
    @discardableResult
    public func finishSignIn(_ request: SignInRequest, answer: String) async throws(ClientError) -> IDTokenClaims {
        let code = try SignInAnswer(answer, to: request).code
        return try await regardlessOfCancellation { () async throws(ClientError) in
            try await self.redeemedAndKept(code, request)
        }
    }

    private func redeemedAndKept(
        _ code: Redacted<String>, _ request: SignInRequest
    ) async throws(ClientError) -> IDTokenClaims {
        // Another process may have sent the person out.
        try await provider.needKeys()
        let redeemed = try await redeemedAlone(code, request)
        do throws(ClientError) {
            try await begin(StoredSignIn(redeemed.tokens, of: redeemed.claims, at: time.now()))
        } catch {
            await abandon(redeemed.tokens, for: redeemed.before)
            throw error
        }
        return redeemed.claims
    }

    private struct Redeemed: Sendable {
        let tokens: TokenAnswer
        let claims: IDTokenClaims
        /// What was shared until then.
        let before: SharedSignIn?
    }

    /// Beside no renewal of the maker's apps: a secret that is shown may have a successor, for all of them (contract §5.4).
    private func redeemedAlone(
        _ code: Redacted<String>, _ request: SignInRequest
    ) async throws(ClientError) -> Redeemed {
        guard configuration.sharing != nil else { return try await redeemed(code, request) }
        return try await store.locked(configuration.renewalLock) { () async throws(ClientError) in
            try await redeemed(code, request)
        }
    }

    private func redeemed(_ code: Redacted<String>, _ request: SignInRequest) async throws(ClientError) -> Redeemed {
        var form: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code.expose()), ("redirect_uri", request.redirect.text),
            ("code_verifier", request.verifier.text.expose()),
        ]
        // A device that is known stays one device; a secret that is no longer good counts as absent (contract §5.1).
        let before = try await sharedSignIn()
        if let before { form.append(("device_secret", before.deviceSecret.expose())) }
        let tokens = try await token(form)
        do throws(ClientError) {
            guard let idToken = tokens.idToken else { throw .idToken(.missing) }
            let claims = try await verified(
                idToken,
                IDTokenCheck(
                    issuer: configuration.issuer, clientID: configuration.clientID, nonce: request.nonce,
                    maximumAge: request.maximumAge, accessToken: tokens.accessToken,
                    deviceSecret: tokens.deviceSecret))
            if let secret = tokens.deviceSecret { try await share(secret, idToken) }
            return Redeemed(tokens: tokens, claims: claims, before: before)
        } catch {
            await abandon(tokens, for: before)
            throw error
        }
    }
}

// Who is signed in (OpenID Connect Core §5.3).
extension Drawbridge {
    /// Asks the provider who is signed in in this app.
    public func person() async throws(ClientError) -> Person {
        guard try await stored() != nil else { throw .notSignedIn }
        guard let address = try await provider.metadata().userInfoEndpoint else {
            throw .provider(.endpoint("userinfo_endpoint"))
        }
        let person = try await withSignIn { signIn async throws(ClientError) in
            let answer = try await send(.get(address, bearer: signIn.accessToken), proves: signIn.isBound)
            guard answer.status == 200 else { throw failure(answer, of: "userinfo") }
            guard let person = answer.decode(Person.self) else { throw answer.unexpected("userinfo cannot be read") }
            return person
        }
        // An answer about another person must not be used (OpenID Connect Core §5.3.2).
        guard try await stored()?.subject == person.subject else { throw .idToken(.subject) }
        return person
    }
}

// What the apps of one maker share on one device (Native SSO §3, §4).
extension Drawbridge {
    /// The shared sign-in, when both of its parts are there and can be read.
    ///
    /// They are two items: code that reads or changes both does so under the lock of the first. It may be taken under
    /// that of renewals, never the other way round.
    func sharedSignIn() async throws(ClientError) -> SharedSignIn? {
        guard let group = configuration.sharing else { return nil }
        return try await store.locked(group.deviceSecret) { () async throws(ClientError) in
            try await sharedParts(of: group)
        }
    }

    func sharedParts(of group: SharingGroup) async throws(ClientError) -> SharedSignIn? {
        guard let secret = try await store.read(group.deviceSecret),
            let idToken = try await store.read(group.idToken)
        else { return nil }
        return SharedSignIn(deviceSecret: secret, idToken: idToken)
    }

    /// The shared sign-in, for callers that hold no lock: not one that a renewal under way is about to replace.
    func currentSharedSignIn() async throws(ClientError) -> SharedSignIn? {
        guard configuration.sharing != nil else { return nil }
        return try await store.locked(configuration.renewalLock) { () async throws(ClientError) in
            try await sharedSignIn()
        }
    }

    /// Puts both parts where the maker's other apps find them. The token first: a secret alone cannot sign in.
    func share(_ deviceSecret: Redacted<String>, _ idToken: Redacted<String>) async throws(ClientError) {
        guard let group = configuration.sharing else { return }
        try await store.locked(group.deviceSecret) { () async throws(ClientError) in
            try await store.write(idToken, to: group.idToken)
            try await store.write(deviceSecret, to: group.deviceSecret)
        }
    }

    /// Forgets a shared sign-in, or goes back to the one before it, unless another app has put in a fresh one.
    func forgetShared(_ dead: Redacted<String>, for before: SharedSignIn? = nil) async throws(ClientError) {
        guard let group = configuration.sharing else { return }
        try await store.locked(group.deviceSecret) { () async throws(ClientError) in
            guard try await store.read(group.deviceSecret) == dead else { return }
            if let before {
                try await store.write(before.idToken, to: group.idToken)
                try await store.write(before.deviceSecret, to: group.deviceSecret)
            } else {
                try await store.remove(group.deviceSecret)
                try await store.remove(group.idToken)
            }
        }
    }
}

// Access tokens and their renewal (RFC 6749 §6; rotation: RFC 9700 §4.14).
extension Drawbridge {
    /// Seconds for the answer of a renewal, at most: a refresh token whose answer was lost gives the same successor for 10 s
    /// and is a theft after that (contract §5.2), so the app has to hear of the loss while it can still ask again.
    static let longestRenewal: Double = 6

    /// An access token that is good for half a minute at least; renewed first when it is not.
    /// - Throws: ``ClientError/notSignedIn`` when there is none, or the provider has ended the sign-in.
    public func accessToken() async throws(ClientError) -> Redacted<String> {
        try await current().accessToken
    }

    func current() async throws(ClientError) -> StoredSignIn {
        guard let signIn = try await stored() else { throw .notSignedIn }
        return signIn.expiresAt > time.now().addingTimeInterval(30) ? signIn : try await renewed(signIn)
    }

    /// Calls with the sign-in, and once more with a fresh one when the provider does not take the first: it may
    /// have been revoked, or its key changed.
    func withSignIn<Value: Sendable>(
        _ call: (StoredSignIn) async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let signIn = try await current()
        do throws(ClientError) {
            return try await call(signIn)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == "invalid_token" else { throw error }
        }
        return try await call(renewed(signIn))
    }

    /// For what takes a token of the last minutes. Without a refresh token the one that there is has to do: the
    /// provider judges its age.
    func renewIfPossible() async throws(ClientError) {
        guard try await stored()?.refreshToken != nil else { return }
        _ = try await renewed()
    }

    /// One renewal at a time, in this process and, by the store's lock, on this device: a second one with the same refresh
    /// token would look like a thief's (RFC 9700 §4.14.2).
    /// - Parameter stale: what is not good enough; what another process has renewed meanwhile is. `nil`: whatever there is.
    func renewed(_ stale: StoredSignIn? = nil) async throws(ClientError) -> StoredSignIn {
        await othersChange()
        let task =
            refreshing
            ?? Task {
                do throws(ClientError) {
                    return .success(
                        try await store.locked(configuration.renewalLock) { () async throws(ClientError) in
                            try await renew(stale)
                        })
                } catch {
                    return .failure(error)
                }
            }
        refreshing = task
        let result = await task.value
        if refreshing == task { refreshing = nil }
        return try result.get()
    }

    private func renew(_ stale: StoredSignIn?) async throws(ClientError) -> StoredSignIn {
        guard let signIn = try await stored() else { throw .notSignedIn }
        // Another was quicker: its token is as good as ours would be.
        if let stale, signIn.accessToken != stale.accessToken, signIn.expiresAt > time.now().addingTimeInterval(30) {
            return signIn
        }
        guard let refreshToken = signIn.refreshToken else { throw .notSignedIn }
        let shared = try await sharedSignIn()
        var form: [(name: String, value: String)] = [
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken.expose()),
        ]
        let isOurs = shared?.isOf(signIn.subject) ?? true
        if !isOurs {
            // Another person's sign-in is shared by now: ask for no device secret that would take its place. Nor for
            // more than was granted, which may be less than the app asks for (contract §5.2); an earlier version did
            // not keep it.
            let granted = signIn.scope?.split(separator: " ").map(String.init) ?? configuration.scope
            form.append(("scope", granted.filter { $0 != "device_sso" }.joined(separator: " ")))
        } else if let shared {
            // Without it the provider would make a second device of this one (contract §5.2).
            form.append(("device_secret", shared.deviceSecret.expose()))
            // It may be replaced (contract §5.4), and its successor comes with an ID token to verify.
            try await provider.needKeys()
        }
        let tokens: TokenAnswer
        do throws(ClientError) {
            tokens = try await token(form, within: Self.longestRenewal)
        } catch {
            // Nothing else ends a sign-in (contract §5.2): a bare 401 may be of anything in front of the provider.
            guard case .refused(let refusal) = error, refusal.code == "invalid_grant" else { throw error }
            if let now = try await stored() {
                // Another process was quicker, where the store has no lock that both respect: what it got counts.
                guard now.refreshToken == refreshToken else { return now }
                try await forgetSignIn()
                await revokeIfPossible(now.earlier, proves: now.isBound)
            }
            throw .notSignedIn
        }
        var fresh = StoredSignIn(tokens, subject: signIn.subject, at: time.now())
        fresh.refreshToken = tokens.refreshToken ?? refreshToken
        // An answer that says nothing of it leaves it as it was (RFC 6749 §5.1).
        fresh.scope = tokens.scope ?? signIn.scope
        fresh.claims = signIn.claims
        fresh.earlier = signIn.earlier
        // Where the store has no lock across processes, another may have signed out or in meanwhile: that counts.
        guard let now = try await stored() else {
            await drop(tokens)
            throw .notSignedIn
        }
        guard now.refreshToken == refreshToken else { return now }
        // Kept before its ID token is looked at: the one before is used up.
        try await keep(fresh)
        try await check(tokens, subject: signIn.subject, isShared: isOurs)
        return fresh
    }

    private func check(_ tokens: TokenAnswer, subject: String, isShared: Bool) async throws(ClientError) {
        guard let idToken = tokens.idToken else { return }
        let check = IDTokenCheck(
            issuer: configuration.issuer, clientID: configuration.clientID, subject: subject,
            accessToken: tokens.accessToken, deviceSecret: tokens.deviceSecret)
        // The one shown is used up (contract §5.4). Its successor came by TLS from the token endpoint (OpenID Connect
        // Core §3.1.3.7 item 6): it is kept before a key is fetched, which this process may not outlive, and stays if
        // only the key is missing, or this device's clock is wrong.
        let secret = isShared && fits(idToken, check) ? tokens.deviceSecret : nil
        var before: SharedSignIn?
        if let secret {
            before = try await sharedSignIn()
            try await share(secret, idToken)
        }
        do throws(ClientError) {
            _ = try await verified(idToken, check)
        } catch {
            if let secret, !error.isInconclusive { try await forgetShared(secret, for: before) }
            throw error
        }
    }

    /// Whether everything is right but the signature, and the times, which this device's clock may be wrong about.
    private func fits(_ idToken: Redacted<String>, _ check: IDTokenCheck) -> Bool {
        guard let token = try? SignedIDToken(idToken) else { return false }
        return check.flaw(in: token.claims, at: nil) == nil
    }

    func forgetSignIn() async throws(ClientError) {
        try await changing(to: nil) { item async throws(ClientError) in try await store.remove(item) }
    }
}

extension ClientError {
    /// Whether nothing is known against an ID token: its key is missing, or this device's clock does not fit.
    fileprivate var isInconclusive: Bool {
        switch self {
        case .idToken(.unknownKey), .idToken(.expired), .idToken(.issuedInFuture): true
        case .idToken: false
        default: true
        }
    }
}

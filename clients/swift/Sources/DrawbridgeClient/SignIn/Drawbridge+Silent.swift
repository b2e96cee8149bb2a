// Without a person: by what this app has kept, else by what another has left on the device (Native SSO §4).
extension Drawbridge {
    /// Tries to sign in without a person. Never throws: what it cannot do, the browser can.
    ///
    /// A person who is signed in already stays so, with the claims of that sign-in; no second one is made. That holds
    /// without a network too: what cannot be renewed just now has not ended.
    public func signInSilently() async -> SilentSignIn {
        do throws(ClientError) {
            if let claims = try await ownClaims() { return .signedIn(claims) }
            guard try await currentSharedSignIn() != nil else { return .needsSignIn(.nothingShared) }
            try await provider.needKeys()
            // Once more: while keys are fetched another app's renewal may replace the secret, and the old one would be
            // a replay (contract §5.4).
            guard let shared = try await currentSharedSignIn() else { return .needsSignIn(.nothingShared) }
            return try await regardlessOfCancellation { () async throws(ClientError) in
                try await self.exchange(shared)
            }
        } catch {
            switch error {
            case .idToken(let flaw): return .needsSignIn(.notBelieved(flaw))
            case .refused(let refusal): return .needsSignIn(.refused(refusal))
            default: return .needsSignIn(.failed(error))
            }
        }
    }

    /// The claims of this app's own sign-in, renewed when it is due; `nil` when there is none, or the provider has
    /// ended it.
    private func ownClaims() async throws(ClientError) -> IDTokenClaims? {
        // One that an earlier version kept has no claims, and is made anew this once.
        guard let claims = try await stored()?.claims else { return nil }
        do throws(ClientError) {
            return try await current().claims
        } catch {
            switch error {
            case .notSignedIn: return nil
            // No network, a busy or broken provider: nothing has ended it, and no browser would get further.
            case .unreachable, .comeBackLater, .unexpectedAnswer: return claims
            default: throw error
            }
        }
    }

    private func exchange(_ shared: SharedSignIn) async throws(ClientError) -> SilentSignIn {
        guard DeviceSecretHash.fits(idToken: shared.idToken, deviceSecret: shared.deviceSecret) else {
            return .needsSignIn(.partsDoNotFit)
        }
        let tokens: TokenAnswer
        do throws(ClientError) {
            tokens = try await token([
                ("grant_type", TokenType.exchangeGrant), ("audience", configuration.issuer.text),
                ("subject_token", shared.idToken.expose()), ("subject_token_type", TokenType.idToken),
                ("actor_token", shared.deviceSecret.expose()), ("actor_token_type", TokenType.deviceSecret),
                ("scope", configuration.scope.joined(separator: " ")),
            ])
        } catch {
            if case .refused(let refusal) = error, refusal.code == "invalid_grant" {
                try await forgetShared(shared.deviceSecret)
            }
            throw error
        }
        do throws(ClientError) {
            guard let idToken = tokens.idToken else { throw .idToken(.missing) }
            let claims = try await verified(
                idToken,
                IDTokenCheck(
                    issuer: configuration.issuer, clientID: configuration.clientID, subject: shared.claims.subject,
                    accessToken: tokens.accessToken, deviceSecret: tokens.deviceSecret ?? shared.deviceSecret))
            if let secret = tokens.deviceSecret, secret != shared.deviceSecret { try await share(secret, idToken) }
            try await begin(StoredSignIn(tokens, of: claims, at: time.now()))
            return .signedIn(claims)
        } catch {
            // The device is not this app's alone: its secret stays.
            await drop(tokens)
            throw error
        }
    }
}

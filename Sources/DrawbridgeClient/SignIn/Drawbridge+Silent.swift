// One app signs in by what another left on the device (Native SSO §4).
extension Drawbridge {
    /// Tries to sign in without a person. Never throws: what it cannot do, the browser can.
    public func signInSilently() async -> SilentSignIn {
        do throws(ClientError) {
            guard let shared = try await sharedSignIn() else { return .needsSignIn(.nothingShared) }
            return try await exchange(shared)
        } catch {
            return .needsSignIn(.failed(error))
        }
    }

    private func exchange(_ shared: SharedSignIn) async throws(ClientError) -> SilentSignIn {
        guard DeviceSecretHash.fits(idToken: shared.idToken, deviceSecret: shared.deviceSecret) else {
            return .needsSignIn(.partsDoNotFit)
        }
        do throws(ClientError) {
            let tokens = try await token([
                ("grant_type", TokenType.exchangeGrant), ("audience", configuration.issuer.text),
                ("subject_token", shared.idToken.expose()), ("subject_token_type", TokenType.idToken),
                ("actor_token", shared.deviceSecret.expose()), ("actor_token_type", TokenType.deviceSecret),
                ("scope", configuration.scope.joined(separator: " ")),
            ])
            guard let idToken = tokens.idToken else { throw .idToken(.missing) }
            let claims = try await verified(
                idToken,
                IDTokenCheck(
                    issuer: configuration.issuer, clientID: configuration.clientID, subject: shared.claims.subject,
                    accessToken: tokens.accessToken, deviceSecret: tokens.deviceSecret ?? shared.deviceSecret))
            if let secret = tokens.deviceSecret, secret != shared.deviceSecret { try await share(secret, idToken) }
            try await keep(StoredSignIn(tokens, subject: claims.subject, at: time.now()))
            return .signedIn(claims)
        } catch {
            switch error {
            case .refused(let refusal):
                if refusal.code == "invalid_grant" { try await forgetShared(shared) }
                return .needsSignIn(.refused(refusal))
            case .idToken(let flaw): return .needsSignIn(.notBelieved(flaw))
            default: throw error
            }
        }
    }
}

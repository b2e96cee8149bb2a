/// How far a sign-out goes.
public enum SignOutExtent: Sendable, Equatable {
    /// The device secret ends, and with it every app and web session that came from it. What "sign out" means to people.
    /// A secret of somebody else, who signed in on this device by another app, stays.
    case device
    /// This app alone; what it opened on the web ends as well. Of the app that brought the shared sign-in it is the
    /// same as ``device``: the others stand on it.
    case thisApp
}

// The end of a sign-in (contract §7, RFC 7009).
extension Drawbridge {
    /// Signs out. The secrets leave this device in every case, also when the provider cannot be told.
    /// - Throws: ``ClientError/signedOutHereOnly(_:)`` when it could not be told.
    public func signOut(_ extent: SignOutExtent = .device) async throws(ClientError) {
        let own = try await stored()
        let shared = try await sharedSignIn()
        var ending: [(token: Redacted<String>, kind: String)] = []
        if let token = own?.refreshToken { ending.append((token, "refresh_token")) }
        let isOurs = own.map { shared?.isOf($0.subject) ?? false } ?? true
        let endsShared = isOurs && (extent == .device || shared?.isFrom(configuration.clientID) ?? false)
        if let shared, endsShared { ending.append((shared.deviceSecret, "device_secret")) }
        guard own != nil || (shared != nil && endsShared) else { throw .notSignedIn }
        let problem = await revoke(ending)
        try await store.remove(StoredSignIn.item(of: configuration))
        if let group = configuration.sharing, shared != nil, endsShared {
            try await store.remove(group.deviceSecret)
            try await store.remove(group.idToken)
        }
        if let problem { throw .signedOutHereOnly("\(problem)") }
    }

    /// - Returns: the first problem; a token that is dead already is none (RFC 7009 §2.2).
    private func revoke(_ tokens: [(token: Redacted<String>, kind: String)]) async -> ClientError? {
        var problem: ClientError?
        for (token, kind) in tokens {
            do throws(ClientError) {
                guard let address = try await provider.metadata().revocationEndpoint else {
                    throw .provider(.endpoint("revocation_endpoint"))
                }
                let answer = try await transport.send(
                    .form(
                        [
                            ("token", token.expose()), ("token_type_hint", kind),
                            ("client_id", configuration.clientID),
                        ], to: address))
                guard answer.status == 200 else { throw answer.failure(of: "revocation") }
            } catch {
                problem = problem ?? error
            }
        }
        return problem
    }
}

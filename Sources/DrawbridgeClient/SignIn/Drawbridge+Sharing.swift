// What the apps of one maker share on one device (Native SSO §3, §4).
extension Drawbridge {
    /// The shared sign-in, when both of its parts are there and can be read.
    func sharedSignIn() async throws(ClientError) -> SharedSignIn? {
        guard let group = configuration.sharing, let secret = try await store.read(group.deviceSecret),
            let idToken = try await store.read(group.idToken)
        else { return nil }
        return SharedSignIn(deviceSecret: secret, idToken: idToken)
    }

    func sharedDeviceSecret() async throws(ClientError) -> Redacted<String>? {
        guard let group = configuration.sharing else { return nil }
        return try await store.read(group.deviceSecret)
    }

    /// Puts both parts where the maker's other apps find them. The token first: a secret alone signs nobody in.
    func share(_ deviceSecret: Redacted<String>, _ idToken: Redacted<String>) async throws(ClientError) {
        guard let group = configuration.sharing else { return }
        try await store.write(idToken, to: group.idToken)
        try await store.write(deviceSecret, to: group.deviceSecret)
    }

    /// Forgets a shared sign-in that is no longer good, unless another app has put in a fresh one meanwhile.
    func forgetShared(_ dead: SharedSignIn) async throws(ClientError) {
        guard let group = configuration.sharing, try await store.read(group.deviceSecret) == dead.deviceSecret else {
            return
        }
        try await store.remove(group.deviceSecret)
        try await store.remove(group.idToken)
    }
}

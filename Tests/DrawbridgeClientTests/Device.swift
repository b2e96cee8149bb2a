import DrawbridgeClient
import Foundation

/// A device with a secret store, one provider, and apps that share a sign-in.
struct Device {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let group = SharingGroup(service: "com.example.native-sso", accessGroup: "TEAM.com.example.sso")

    let provider = FakeProvider()
    let store = MemorySecretStore()
    private(set) var time = TimeSource { Device.now }

    func app(
        _ id: String = "app-a", at now: Date = now, keeping secrets: (any SecretStore)? = nil
    ) throws -> Drawbridge {
        Drawbridge(
            configuration: try ClientConfiguration(
                issuer: IssuerAddress(FakeProvider.issuer), clientID: id, sharing: Self.group),
            store: secrets ?? store, transport: provider, time: TimeSource { now })
    }

    func claims(_ app: String = "app-a", _ changes: [String: any Sendable] = [:]) -> [String: any Sendable] {
        let seconds = Int(Self.now.timeIntervalSince1970)
        let claims: [String: any Sendable] = [
            "iss": FakeProvider.issuer, "aud": app, "sub": "alice", "iat": seconds, "exp": seconds + 300,
            "ds_hash": SigningKey.hash("ds_1"), "sid": "s1",
        ]
        return claims.merging(changes) { $1 }
    }

    func idToken(_ app: String = "app-a", _ changes: [String: any Sendable] = [:]) async -> String {
        provider.keys.token(claims(app, changes))
    }

    /// An answer of the token endpoint.
    func tokens(
        _ app: String = "app-a", access: String = "at_1", refresh: String? = "rt_1", secret: String? = "ds_1",
        claims changes: [String: any Sendable] = [:]
    ) async -> ClientAnswer {
        var members: [String: any Sendable] = [
            "access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": await idToken(app, changes),
        ]
        members["refresh_token"] = refresh
        members["device_secret"] = secret
        return .json(members)
    }

    /// Signs an app in by way of the browser.
    @discardableResult
    func signIn(
        _ app: Drawbridge, secret: String = "ds_1", refresh: String? = "rt_1", _ changes: [String: any Sendable] = [:]
    ) async throws -> IDTokenClaims {
        let request = try await app.beginSignIn(redirect: RedirectAddress("http://127.0.0.1:5000/callback"))
        let nonce = request.parameter("nonce")
        await provider.answer(
            "/token",
            await tokens(
                app.configuration.clientID, refresh: refresh, secret: secret,
                claims: ["nonce": nonce, "ds_hash": SigningKey.hash(secret)].merging(changes) { $1 }))
        return try await app.finishSignIn(request, answer: request.goodAnswer)
    }

    /// Calls in a task that is cancelled while the answer of the token endpoint is on its way.
    func cancelledWhileTokensCome<Value: Sendable>(
        _ call: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (cancellations, cancellation) = AsyncStream.makeStream(of: Void.self)
        await provider.meanwhile("/token") {
            arrival.yield()
            for await _ in cancellations { break }
        }
        let task = Task {
            // Where no token is asked for nobody would arrive.
            defer { arrival.finish() }
            return try await call()
        }
        for await _ in arrivals { break }
        task.cancel()
        cancellation.finish()
        return await task.result
    }

    func shared() async -> (secret: String?, idToken: String?) {
        let items = ["device_secret", "id_token"].map {
            SecretItem(service: Self.group.service, account: $0, accessGroup: Self.group.accessGroup)
        }
        return (await store.read(items[0])?.expose(), await store.read(items[1])?.expose())
    }
}

extension SignInRequest {
    func parameter(_ name: String) -> String {
        URLComponents(string: address)?.queryItems?.first { $0.name == name }?.value ?? ""
    }

    var goodAnswer: String { "\(redirect.text)?code=c1&state=\(state)&iss=https%3A%2F%2Fid.example.com" }
}

import Foundation

/// An app's way to its provider: signs its user in, keeps the tokens, and carries the sign-in onto the web.
///
/// ```swift
/// let drawbridge = Drawbridge(
///     configuration: try ClientConfiguration(issuer: IssuerAddress("https://id.example.com"), clientID: "phone-app"),
///     store: KeychainSecretStore())
/// if case .needsSignIn = await drawbridge.signInSilently() {
///     try await drawbridge.signIn(with: browser)
/// }
/// let link = try await drawbridge.openURL(path: "/contacts")
/// ```
///
/// The secret store holds the truth, not this object: two processes of an app see the same sign-in.
public actor Drawbridge {
    /// The app and its provider.
    public nonisolated let configuration: ClientConfiguration
    let store: any SecretStore
    let transport: any HTTPTransport
    let provider: Provider
    let time: TimeSource
    let random: RandomSource
    /// The one refresh that is under way; whoever comes meanwhile waits for the same.
    var refreshing: Task<Result<StoredSignIn, ClientError>, Never>?

    /// - Parameters:
    ///   - store: where the secrets lie; its items outlive the app.
    ///   - transport: how the provider is reached.
    ///   - time: the clock.
    ///   - random: where `state`, `nonce` and verifiers come from.
    public init(
        configuration: ClientConfiguration, store: any SecretStore,
        transport: any HTTPTransport = URLSessionTransport(), time: TimeSource = .system,
        random: RandomSource = .system
    ) {
        self.configuration = configuration
        self.store = store
        self.transport = transport
        self.time = time
        self.random = random
        provider = Provider(issuer: configuration.issuer, transport: transport)
    }

    /// This app's sign-in, as it was last kept.
    func stored() async throws(ClientError) -> StoredSignIn? {
        try await store.read(StoredSignIn.item(of: configuration)).flatMap { StoredSignIn($0) }
    }

    func keep(_ signIn: StoredSignIn) async throws(ClientError) {
        try await store.write(signIn.text(), to: StoredSignIn.item(of: configuration))
    }

    /// Asks the token endpoint as this app, or as another client of the same maker.
    func token(
        _ parameters: [(name: String, value: String)], as clientID: String? = nil
    ) async throws(ClientError) -> TokenAnswer {
        let form = parameters + [("client_id", clientID ?? configuration.clientID)]
        let answer = try await transport.send(.form(form, to: provider.metadata().tokenEndpoint))
        guard answer.status == 200 else { throw answer.failure(of: "the token endpoint") }
        guard let tokens = answer.decode(TokenAnswer.self) else {
            throw .unexpectedAnswer("the token endpoint's answer cannot be read")
        }
        return tokens
    }

    /// The claims of an ID token whose signature and claims are right.
    func verified(_ token: Redacted<String>, _ check: IDTokenCheck) async throws(ClientError) -> IDTokenClaims {
        let token = try SignedIDToken(token)
        guard let key = try await provider.key(token.keyID)?.publicKey else { throw .idToken(.unknownKey) }
        guard token.isSigned(by: key) else { throw .idToken(.signature) }
        if let flaw = check.flaw(in: token.claims, at: time.now()) { throw .idToken(flaw) }
        return token.claims
    }
}

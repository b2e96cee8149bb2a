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
    /// This library's version, semantic.
    public static let version = "0.4.0"
    /// The app and its provider.
    public nonisolated let configuration: ClientConfiguration
    let store: any SecretStore
    let transport: any HTTPTransport
    let provider: Provider
    let time: TimeSource
    let random: RandomSource
    /// The one refresh that is under way; callers that come meanwhile wait for it too.
    var refreshing: Task<Result<StoredSignIn, ClientError>, Never>?
    /// The one sign-out, or the one new sign-in, that changes what is kept; a renewal waits for it, and it for that one.
    var changing: Task<ClientError?, Never>?
    let binding: TokenBinding
    /// The key in the store, once it was read.
    var readingKey: Task<Result<any ProofKey, ClientError>, Never>?
    /// The latest nonce of each origin (RFC 9449 §8.2).
    var proofNonces: [String: String] = [:]
    /// The web view whose cookies are taken out at sign-out.
    var webViewHost: (any WebViewHost)?
    /// Followers of whether a person is signed in, by number.
    var readers: [Int: AsyncStream<SignInState>.Continuation] = [:]
    var nextReader = 0
    /// What they were told last.
    var state: SignInState?
    /// Grows at the beginning and at the end of each change of what is kept.
    var writes = 0

    /// - Parameters:
    ///   - configuration: the app and its provider.
    ///   - store: where the secrets are kept; its items outlive the app.
    ///   - transport: how the provider is reached.
    ///   - binding: whether tokens are bound to a key (RFC 9449).
    ///   - webView: the web view whose cookies go at sign-out; the one last opened when absent.
    ///   - time: the clock.
    ///   - random: where `state`, `nonce` and verifiers come from.
    public init(
        configuration: ClientConfiguration, store: any SecretStore,
        transport: any HTTPTransport = URLSessionTransport(), binding: TokenBinding = .none,
        webView: (any WebViewHost)? = nil, time: TimeSource = .system, random: RandomSource = .system
    ) {
        self.configuration = configuration
        self.store = store
        self.transport = transport
        self.time = time
        self.random = random
        self.binding = binding
        webViewHost = webView
        provider = Provider(issuer: configuration.issuer, transport: transport, time: time)
    }

    /// This app's sign-in, as it was last kept.
    func stored() async throws(ClientError) -> StoredSignIn? {
        let before = writes
        let found = try await store.read(StoredSignIn.item(of: configuration)).flatMap { StoredSignIn($0) }
        // What was read while something was written may be of before.
        if writes == before { tell(found) }
        return found
    }

    /// Does what puts another sign-in in place of this one, or none: never alongside a renewal or another such change
    /// in this process or, by the store's lock, in another.
    /// - Parameter work: is told why that lock could not be had: what is kept can be ended without it.
    func changingSignIn(
        _ work: @escaping @Sendable (isolated Drawbridge, _ unlocked: ClientError?) async -> ClientError?
    ) async throws(ClientError) {
        while refreshing != nil || changing != nil {
            if let running = refreshing {
                _ = await running.value
                if refreshing == running { refreshing = nil }
            }
            await othersChange()
        }
        let own = Task { () -> ClientError? in
            let (held, unlocked) = await store.lockIfPossible(configuration.renewalLock)
            let problem = await work(self, unlocked)
            await held.release()
            return problem
        }
        changing = own
        let problem = await own.value
        if changing == own { changing = nil }
        if let problem { throw problem }
    }

    func othersChange() async {
        while let running = changing {
            _ = await running.value
            if changing == running { changing = nil }
        }
    }

    /// Keeps a new sign-in. The one before goes on until the sign-out, since pages on the web may have been opened from
    /// it: people sign in once more to prove who they are. Another person's ends now.
    func begin(_ signIn: StoredSignIn) async throws(ClientError) {
        try await changingSignIn { own, unlocked in
            if let unlocked { return unlocked }
            do throws(ClientError) {
                try await own.replaceSignIn(by: signIn)
                return nil
            } catch {
                return error
            }
        }
    }

    private func replaceSignIn(by signIn: StoredSignIn) async throws(ClientError) {
        // What cannot be read is replaced.
        let own = try? await stored()
        let before = (own?.refreshTokens ?? []).filter { $0 != signIn.refreshToken }
        var fresh = signIn
        if own?.subject == signIn.subject { fresh.earlier = Array(before.suffix(StoredSignIn.mostEarlier)) }
        try await keep(fresh)
        await revokeIfPossible(Array(before.dropLast(fresh.earlier.count)), proves: own?.isBound ?? false)
    }

    func keep(_ signIn: StoredSignIn) async throws(ClientError) {
        let text = try signIn.text()
        try await changing(to: signIn) { item async throws(ClientError) in try await store.write(text, to: item) }
    }

    /// Does what uses something up at the provider, to its end: a request of a task that is cancelled is given up, and
    /// its answer would be lost with it.
    func regardlessOfCancellation<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let own = Task { () -> Result<Value, ClientError> in
            do throws(ClientError) { return .success(try await work()) } catch { return .failure(error) }
        }
        return try await own.value.get()
    }

    /// Asks the token endpoint as this app, or as another client of the same maker.
    /// - Parameter patience: seconds for the whole answer, at most.
    func token(
        _ parameters: [(name: String, value: String)], as clientID: String? = nil, within patience: Double? = nil
    ) async throws(ClientError) -> TokenAnswer {
        let form = parameters + [("client_id", clientID ?? configuration.clientID)]
        let answer = try await send(
            .form(form, to: provider.metadata().tokenEndpoint, patience: patience), proves: bindsTokens)
        if answer.losesRenewal, parameters.contains(where: { $0.name == "grant_type" && $0.value == "refresh_token" }) {
            throw .unreachable("a proxy answered \(answer.status) in its place")
        }
        guard answer.status == 200 else { throw failure(answer, of: "the token endpoint") }
        // What is bound to a key that we do not have is of no use.
        guard let tokens = answer.decode(TokenAnswer.self), bindsTokens || !tokens.isBound else {
            throw answer.unexpected("the token endpoint's answer cannot be read")
        }
        return tokens
    }

    /// What an answer that is not a success says.
    nonisolated func failure(_ answer: ClientAnswer, of what: String) -> ClientError {
        answer.failure(of: what, at: time.now(), by: configuration.issuer)
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

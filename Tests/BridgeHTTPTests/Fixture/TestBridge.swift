import Bridge
import BridgeHTTP
import BridgeTestSupport
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import OAuth2
import SQLStorage
import Synchronization

/// A whole service over a database in a temporary folder, with a clock that the test moves.
struct TestBridge: Sendable {
    static let publicOrigin = "https://bridge.example"

    let clock: TestClock
    let storage: DurableStorage
    let accessLog: AccessLog
    let logLines: TextSink
    let logMessages = LogLines(level: .trace)
    let metrics = PrometheusMetrics()
    let folder: URL
    let services: BridgeServices
    let settings: BridgeHTTPSettings

    init(
        limits: LimitSettings = LimitSettings(), limiter: any RateLimiter = UnlimitedRateLimiter(),
        recorder: SpanRecorder? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bridge-http-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let clock = TestClock()
        let time = TimeSource { clock.now }
        let lines = TextSink()
        self.clock = clock
        logLines = lines
        accessLog = AccessLog { lines.append($0) }
        storage = try SQLiteStorage.open(
            path: folder.appendingPathComponent("drawbridge.sqlite").path, node: "test", signer: UnsignedCheckpoints(),
            time: time)

        guard let origin = WebOrigin(Self.publicOrigin) else { throw FixtureProblem.badOrigin }
        guard let master = TestAccounts.master else { throw FixtureProblem.badKey }
        let secrets = SecondFactorSecrets(master: master)
        let keys = Reloadable(
            SecretKeyRing(keys: [
                SecretKey(
                    id: "k1", secret: Secret(Array("0123456789abcdef0123456789abcdef".utf8)),
                    signsFrom: Timestamp(seconds: 0), retiresAt: nil)
            ]))
        let clients = Reloadable(try TestClients.directory())
        let tokens = LoginTokenSettings(publicOrigin: origin, defaultLifetime: .seconds(60))
        let codec = LoginTokenCodec(issuer: origin.description, keys: keys)
        let subjects = Subjects(store: storage, time: time)
        let refusals = RefusalLog(audit: storage, limiter: InProcessRateLimiter(clock: .parameter))
        let sessions = WebSessions(store: storage, time: time)
        let appSessions = AppSessions(store: storage, webSessions: sessions, time: time)
        let parents = ParentSessions(store: storage, sessions: appSessions, time: time)
        let endings = SessionEndings(store: storage, webSessions: sessions, appSessions: appSessions, time: time)
        let hasher = PasswordHasher(cost: TestAccounts.cost)
        let throttle = SignInThrottle(
            limiter: limiter, limits: limits, refusals: refusals,
            knownBrowsers: KnownBrowsers(master: master))
        settings = BridgeHTTPSettings(
            origins: Origins(website: origin), redemptionPaths: ["/login-with-token", "/user/login-with-token.php"],
            signInURL: "https://www.example/sign-in", trustsPeersWithoutAddress: true,
            appLinks: AppLinkSettings(
                appleApps: [.init(appID: "TEAM.com.example.app", paths: ["/contacts/*"])], androidApps: []))
        let opener = SessionOpener(sessions: sessions, store: storage, clients: clients)
        let codes = SecondFactorCheck(accounts: storage, secrets: secrets)
        let issuer = LoginTokenIssuer(
            settings: tokens, codec: codec, clients: clients, subjects: subjects, parents: parents,
            store: storage, limiter: limiter, limits: limits, refusals: refusals, time: time)
        let attempts = UnconfirmedAttempts(store: storage, sessions: sessions, keys: keys, time: time)
        let redemptionRefusals = RedemptionRefusals(store: storage, limiter: limiter, limits: limits, log: refusals)
        let redeemer = LoginTokenRedeemer(
            reader: RedemptionReader(
                settings: tokens, codec: codec, clients: clients, sessions: sessions, attempts: attempts),
            examiner: RedemptionExaminer(
                clients: clients, parents: parents, subjects: subjects, codec: codec, attempts: attempts),
            singleUse: SingleUse(
                store: storage, replayGuard: InProcessReplayGuard(time: time), sessions: sessions, endings: endings,
                attempts: attempts, refusals: redemptionRefusals),
            attempts: attempts, refusals: redemptionRefusals, time: time, recorder: recorder, onOutcome: { _ in })
        services = BridgeServices(
            front: FrontServices(
                accessLog: accessLog, metrics: metrics, proofs: nil, time: time, recorder: recorder),
            browsers: BrowserServices(
                sessions: sessions, endings: endings, clients: clients, formTokens: FormTokens(keys: keys, time: time),
                pages: try Pages(files: .embedded, siteName: "Example", signInURL: settings.signInURL),
                files: .embedded, refusals: refusals),
            loginTokens: LoginTokenServices(
                issuer: issuer,
                overview: LoginTokenOverview(
                    store: storage, audit: storage, subjects: subjects, parents: parents, time: time),
                redeemer: redeemer,
                handOffs: HandOffs(issuer: issuer, tries: InProcessRecentTries(time: time)),
                bearers: BearerGate(
                    authenticator: TestBearers(), constraint: SenderConstraint(proofs: nil), clients: clients,
                    limiter: limiter, limits: limits, refusals: refusals, time: time)),
            signIn: SignInServices(
                signIn: SignIn(
                    accounts: storage, hasher: hasher,
                    codes: codes, throttle: throttle, opener: opener, refusals: refusals, keys: keys, time: time),
                landing: SignInLanding(clients: clients, publicOrigin: origin, refusals: refusals, time: time),
                authorizations: Authorizations(
                    rules: AuthorizationRequestRules(
                        issuer: origin.description, clients: clients, idTokens: nil),
                    codes: AuthorizationCodes(
                        store: storage,
                        limit: UserLimit(
                            scope: "authorize.subject", bucket: limits.authorizationPerSubject, limiter: limiter,
                            refusals: refusals)),
                    storage: storage, keys: keys,
                    monitor: AuthorizationMonitor(
                        memory: InProcessReuseMemory(
                            lifetime: AuthorizationMonitor.reuseWindow, capacity: 1000, time: time),
                        refusals: refusals, fullness: Degradation(part: "test", time: time)),
                    givesDeviceSecrets: { true }, time: time),
                redeemer: redeemer,
                accounts: storage,
                upstream: UpstreamServices(
                    // The sign-in page shows no way there; the provider only tells who has signed out.
                    signIn: UpstreamSignIn(
                        providers: [], accounts: storage, uses: storage, opener: opener, refusals: refusals,
                        limiter: limiter, limits: limits, keys: keys, time: time),
                    signOuts: UpstreamSignOuts(
                        providers: [TestUpstream()], sessions: storage, endings: endings, refusals: refusals,
                        time: time)),
                secondFactor: SecondFactorEnrolment(
                    accounts: storage, secrets: secrets, codes: codes, throttle: throttle, refusals: refusals,
                    keys: keys, time: time),
                passkeys: PasskeyServices(
                    signIn: PasskeySignIn(
                        storage: storage, throttle: throttle, opener: opener, refusals: refusals, keys: keys,
                        time: time),
                    enrolment: PasskeyEnrolment(storage: storage, refusals: refusals, keys: keys, time: time)),
                selfIssued: SelfIssuedServices(
                    signIn: SelfIssuedSignIn(
                        configuration: SelfIssuedConfiguration(
                            clientID: origin.description + "/", origin: origin, siteName: "Example"),
                        transactions: InProcessSelfIssuedTransactions(),
                        linkedKeys: LinkedKeys(
                            storage: storage, endings: endings, limiter: limiter, limits: limits, refusals: refusals,
                            time: time),
                        storage: storage, opener: opener, codes: codes, throttle: throttle, ring: keys, time: time)),
                heldForms: ShortLivedSeal(keys: keys, purpose: .heldConsoleForm, time: time),
                postedRequests: ShortLivedSeal(keys: keys, purpose: .postedAuthorizationRequest, time: time),
                account: AccountServices(
                    storage: storage,
                    passwords: PasswordChange(
                        storage: storage, hasher: hasher, throttle: throttle, opener: opener, endings: endings,
                        refusals: refusals, keys: keys, clients: clients, time: time),
                    consents: Consents(store: storage, endings: endings, time: time))),
            admin: try TestAdministration(
                storage: storage, sessions: sessions, endings: endings, codec: codec, clients: clients,
                parents: parents, refusals: refusals, origin: origin, time: time
            ).services)
    }

    /// Runs a test against the routes, without a socket, and cleans up.
    static func run<Value: Sendable>(
        limits: LimitSettings = LimitSettings(), limiter: any RateLimiter = UnlimitedRateLimiter(),
        recorder: SpanRecorder? = nil,
        _ body: @Sendable (TestBridge, any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        let bridge = try TestBridge(limits: limits, limiter: limiter, recorder: recorder)
        let application = Application(
            router: buildRouter(services: bridge.services, settings: bridge.settings),
            logger: bridge.logMessages.logger)
        let result: Result<Value, any Error>
        do {
            result = .success(try await application.test(.router) { try await body(bridge, $0) })
        } catch {
            result = .failure(error)
        }
        // Some tests close it themselves, to see what a store that is gone leads to.
        try? await bridge.storage.close()
        try FileManager.default.removeItem(at: bridge.folder)
        return try result.get()
    }
}

enum FixtureProblem: Error { case badOrigin, badKey, unexpectedAnswer(Int) }

final class TestClock: Sendable {
    private let current = Mutex(Timestamp(seconds: 1_763_708_400))

    var now: Timestamp { current.withLock { $0 } }

    func advance(by duration: Duration) { current.withLock { $0 = $0 + duration } }
}

/// Collects text from several threads.
final class TextSink: Sendable {
    private let content = Mutex<[UInt8]>([])

    var text: String { String(decoding: content.withLock { $0 }, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    func append(_ bytes: some Sequence<UInt8>) { content.withLock { $0.append(contentsOf: bytes) } }
}

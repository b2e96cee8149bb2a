import BridgeTestSupport
import Foundation
import OAuth2
import SQLStorage
import Testing

@testable import Bridge

/// A replay guard that never remembers, as one that was restarted between any two requests.
struct ForgetfulReplayGuard: ReplayGuard {
    func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) -> ReplayClaim { .claimed }
}

/// The services of one node over a database of their own, with a clock that the test moves.
struct Service: Sendable {
    let clock = FixedClock()
    let storage: any BridgeStorage
    let sessions: WebSessions
    let appSessions: AppSessions
    let subjects: Subjects
    let parents: ParentSessions
    let endings: SessionEndings
    let issuer: LoginTokenIssuer
    let overview: LoginTokenOverview
    let redeemer: LoginTokenRedeemer
    let refusals: RefusalLog
    let clients: Reloadable<ClientDirectory>
    let keys: Reloadable<SecretKeyRing>

    init(
        storage: any BridgeStorage, replayGuard: any ReplayGuard = InProcessReplayGuard(),
        limiter: any RateLimiter = InProcessRateLimiter(clock: .parameter), limits: LimitSettings = LimitSettings(),
        defaultTarget: ClientID? = website, loginTokens: (any LoginTokenStore)? = nil,
        users: (any UserStore)? = nil, recorder: SpanRecorder? = nil,
        onRedemption: @escaping @Sendable (RedemptionOutcome.Label) -> Void = { _ in }
    ) throws {
        self.storage = storage
        let loginTokens = loginTokens ?? storage
        let time = clock.source
        keys = Reloadable(keyRing("k1"))
        clients = Reloadable(ClientDirectory(try testClients(), defaultTarget: defaultTarget))
        sessions = WebSessions(store: storage, time: time)
        appSessions = AppSessions(store: storage, webSessions: sessions, time: time)
        endings = SessionEndings(store: storage, webSessions: sessions, appSessions: appSessions, time: time)
        let settings = LoginTokenSettings(
            publicOrigin: try #require(WebOrigin("https://bridge.example")), defaultLifetime: .seconds(60))
        let codec = LoginTokenCodec(issuer: "https://bridge.example", keys: keys)
        subjects = Subjects(store: users ?? storage, time: time)
        parents = ParentSessions(store: storage, sessions: appSessions, time: time)
        refusals = RefusalLog(audit: storage, limiter: limiter)
        issuer = LoginTokenIssuer(
            settings: settings, codec: codec, clients: clients, subjects: subjects, parents: parents,
            store: loginTokens,
            limiter: limiter, limits: limits, refusals: refusals, time: time)
        overview = LoginTokenOverview(
            store: storage, audit: storage, subjects: subjects, parents: parents, time: time)
        let attempts = UnconfirmedAttempts(store: loginTokens, sessions: sessions, keys: keys, time: time)
        let redemptionRefusals = RedemptionRefusals(
            store: loginTokens, limiter: limiter, limits: limits, log: refusals)
        redeemer = LoginTokenRedeemer(
            reader: RedemptionReader(
                settings: settings, codec: codec, clients: clients, sessions: sessions, attempts: attempts),
            examiner: RedemptionExaminer(
                clients: clients, parents: parents, subjects: subjects, codec: codec, attempts: attempts),
            singleUse: SingleUse(
                store: loginTokens, replayGuard: replayGuard, sessions: sessions, endings: endings,
                attempts: attempts, refusals: redemptionRefusals),
            attempts: attempts, refusals: redemptionRefusals, time: time, recorder: recorder,
            onOutcome: onRedemption)
    }

    func bearer(
        _ subject: Subject = "alice", client: ClientID = app, sid: SessionID? = nil,
        authentication: Authentication = Authentication()
    ) -> BearerIdentity {
        BearerIdentity(
            subject: subject, clientID: client, issuer: "https://backend.example", authority: .trustedWithAccounts,
            sessionID: sid,
            authentication: authentication, expiresAt: clock.now + .seconds(3600))
    }

    func issue(_ request: LoginTokenIssueRequest = LoginTokenIssueRequest(), subject: Subject = "alice") async throws
        -> LoginTokenAnswer
    {
        try await issuer.issue(request, bearer: bearer(subject), origin: origin())
    }

    /// A person's own navigation with the token in the query.
    func open(
        _ token: Secret<String>, redirect: String? = nil, verifier: String? = nil, session: OpaqueSecret? = nil,
        visit: Visit = Visit(carrier: .query, fetchSite: Visit.FetchSite.none, isDocumentNavigation: true),
        code: String? = nil, confirmsSwitch: Bool = false, tokenSessions: [WebSession] = [], retry: String? = nil,
        from requestOrigin: RequestOrigin = origin()
    ) async throws -> RedemptionOutcome {
        try await redeemer.redeem(
            RedemptionRequest(
                token: .one(token), redirect: redirect.map { .bytes(Array($0.utf8)) } ?? .absent,
                codeVerifier: verifier, typedCode: code, visit: visit, confirmsSwitch: confirmsSwitch,
                sessionSecret: session, tokenSessions: tokenSessions, retry: retry, origin: requestOrigin))
    }

    /// An operator changes a client's registration.
    func change(_ id: ClientID, _ change: (inout Client) -> Void) {
        clients.change(id, by: change)
    }

    /// The types and reasons of all events, oldest first, such as `login_token.refused expired`.
    func events() async throws -> [String] {
        try await storage.search(AuditFilter(), before: nil, limit: 500).records.reversed().map { record in
            [record.event.type.rawValue, record.event.reason].compactMap(\.self).joined(separator: " ")
        }
    }

    /// What became of second factors, the oldest first.
    func secondFactorChanges() async throws -> [AuditEvent] {
        try await storage.search(AuditFilter(type: .userSecondFactorChanged), before: nil, limit: 100)
            .records.reversed().map(\.event)
    }
}

/// Runs a test against a fresh database that is removed afterwards.
func withService(
    replayGuard: any ReplayGuard = InProcessReplayGuard(),
    limiter: any RateLimiter = InProcessRateLimiter(clock: .parameter),
    limits: LimitSettings = LimitSettings(), defaultTarget: ClientID? = website,
    faults: RedemptionFaults? = nil, recorder: SpanRecorder? = nil,
    _ body: (Service) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bridge-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let storage = try SQLiteStorage.open(
        path: folder.appending(path: "drawbridge.sqlite").path, node: "test", signer: UnsignedCheckpoints())
    try await body(
        Service(
            storage: storage, replayGuard: replayGuard, limiter: limiter, limits: limits, defaultTarget: defaultTarget,
            loginTokens: faults.map { FailingLoginTokens(storage: storage, faults: $0) }, recorder: recorder))
    try await storage.close()
}

extension RedemptionOutcome {
    var opened: OpenedSession? {
        if case .landed(_, let opened) = self { opened } else { nil }
    }

    /// One word for what happened.
    var word: String {
        switch self {
        case .landed(_, .some): "opened"
        case .landed(_, nil): "landed"
        case .confirm: "confirm"
        case .switchAccount: "switch"
        case .refused: "refused"
        case .limited: "limited"
        }
    }
}

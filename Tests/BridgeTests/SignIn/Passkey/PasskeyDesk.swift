import OAuth2
import Testing

@testable import Bridge

/// Accounts that sign in with passkeys, over a database of their own.
struct PasskeyDesk: Sendable {
    let desk: SignInDesk
    let signIn: PasskeySignIn
    let enrolment: PasskeyEnrolment
    let party: PasskeyParty

    var service: Service { desk.service }

    /// - Parameter ceiling: what the audit log takes of refusals.
    static func run(
        ceiling: RefusalCeiling = RefusalCeiling(), _ body: (PasskeyDesk) async throws -> Void
    ) async throws {
        try await withService { try await body(PasskeyDesk(SignInDesk($0), ceiling: ceiling)) }
    }

    init(_ desk: SignInDesk, ceiling: RefusalCeiling = RefusalCeiling()) throws {
        self.desk = desk
        let (storage, time) = (desk.service.storage, desk.service.clock.source)
        let limiter = InProcessRateLimiter(clock: .parameter)
        let refusals = RefusalLog(audit: storage, limiter: limiter, ceiling: ceiling)
        signIn = PasskeySignIn(
            storage: storage,
            throttle: SignInThrottle(
                limiter: limiter, limits: LimitSettings(), refusals: refusals,
                knownBrowsers: try .sample()),
            opener: SessionOpener(
                sessions: desk.service.sessions, store: storage, clients: desk.service.clients),
            refusals: refusals, keys: desk.service.keys, time: time)
        enrolment = PasskeyEnrolment(storage: storage, refusals: refusals, keys: desk.service.keys, time: time)
        let origin = try #require(WebOrigin(SoftAuthenticator.origin))
        party = try #require(PasskeyParty(origin))
    }

    /// An account, and a session of a moment ago.
    func person(_ name: String) async throws -> WebSession {
        try await desk.add(name)
        return try #require(try await desk.attempt(name).opened).session
    }

    func draft(in session: WebSession) async throws -> PasskeyDraft {
        let account = try #require(try await enrolment.account(in: session))
        let known = try await enrolment.passkeys(of: account.subject)
        return try enrolment.draft(for: account, besides: known, in: session, at: party)
    }

    /// Adds the authenticator's passkey, which from then on knows its user.
    func add(_ authenticator: inout SoftAuthenticator, in session: WebSession) async throws -> PasskeyOutcome {
        let draft = try await draft(in: session)
        authenticator.userHandle = draft.userHandle
        return try await enrolment.add(
            try authenticator.make(draft.challenge), to: draft.challenge.sealed, named: "Key", at: party, in: session,
            origin: origin())
    }

    /// Signs in with the authenticator's passkey.
    func attempt(
        _ authenticator: SoftAuthenticator, browser: OpaqueSecret? = nil, knownBy recognition: Secret<String>? = nil
    ) async throws -> SignInOutcome {
        let challenge = try signIn.challenge(browser: desk.browser, at: party)
        return try await answer(
            try authenticator.use(challenge), to: challenge, browser: browser, knownBy: recognition)
    }

    func answer(
        _ assertion: PasskeyAssertion?, to challenge: PasskeyChallenge, browser: OpaqueSecret? = nil,
        knownBy recognition: Secret<String>? = nil
    ) async throws -> SignInOutcome {
        var origin = origin()
        origin.recognition = recognition
        return try await signIn.attempt(
            assertion, to: challenge.sealed, at: party, browser: browser ?? desk.browser, replacing: nil,
            origin: origin)
    }

    func reasons(_ type: AuditEventType) async throws -> [String?] {
        try await service.storage.search(AuditFilter(type: type), before: nil, limit: 100).records.map(\.event.reason)
    }
}

import OAuth2

/// Whether a bearer may approve sign-ins of its user on other devices (contract §16; ADR-0034).
///
/// Approving opens a browser's session, as a login token does, so it takes the same right of the client, for the same
/// website. And a session may approve only when its whole ancestry is the person's own sign-in: who came by a token, a
/// secret or another phone's word must not be able to give that on.
package final class PhoneApprovers: Sendable {
    /// How old the access token may be that approves: an app renews it for that.
    static let tokenAge = Duration.seconds(300)

    private let apps: any GrantStore
    private let clients: Reloadable<ClientDirectory>
    private let limits: LimitSettings
    private let gate: LimitGate
    private let refusals: RefusalLog
    /// Whether a phone of another network than the computer's is refused.
    let requiresSameNetwork: Bool

    package init(
        apps: any GrantStore, clients: Reloadable<ClientDirectory>, limits: LimitSettings,
        limiter: any RateLimiter, refusals: RefusalLog, requiresSameNetwork: Bool
    ) {
        self.apps = apps
        self.clients = clients
        self.limits = limits
        gate = LimitGate(limiter, refusals: refusals)
        self.refusals = refusals
        self.requiresSameNetwork = requiresSameNetwork
    }

    /// What an app's session is asked for.
    enum Act {
        case approval
        /// What takes the same right, and is never to wait for approvals that somebody has used up.
        case denial
        case keyLinking

        /// The event that a refusal is written down as.
        var refusal: AuditEventType {
            switch self {
            case .approval, .denial: .crossDeviceRefused
            case .keyLinking: .selfIssuedRefused
            }
        }

        /// What a refusal says that the app may not do.
        var words: String {
            switch self {
            case .approval, .denial: "approve sign-ins"
            case .keyLinking: "link a phone's key"
            }
        }
    }

    /// What counts as near.
    static func network(of address: NetworkAddress?) -> NetworkPrefix? {
        address.map { $0.network($0.family == .v4 ? 24 : 56) }
    }

    /// - Parameters:
    ///   - isFresh: whether its token has to be of the last minutes.
    ///   - act: what for.
    /// - Throws: `OAuthError`, which is recorded; ``StorageError``.
    func phone(
        of bearer: BearerIdentity, isFresh: Bool, for act: Act = .approval, origin: RequestOrigin, at now: Timestamp
    ) async throws -> ApprovingPhone {
        phone(of: bearer, in: try await appSession(of: bearer, isFresh: isFresh, for: act, origin: origin, at: now))
    }

    /// The session of an app that may approve.
    /// - Parameters:
    ///   - isFresh: whether its token has to be of the last minutes.
    ///   - act: what for.
    /// - Throws: `OAuthError`, which is recorded; ``StorageError``.
    func appSession(
        of bearer: BearerIdentity, isFresh: Bool, for act: Act = .approval,
        origin: RequestOrigin, at now: Timestamp
    ) async throws -> AppSession {
        let found = try await session(of: bearer)
        let approver: AppSession
        do throws(OAuthError) {
            approver = try check(bearer, session: found, isFresh: isFresh, for: act, at: now)
        } catch {
            // Counted apart: an app without the right must use up nothing of what those have that have it.
            try await pass(limits.refusedApproverKey(bearer), bearer, origin: origin, at: now)
            try await record(act.refusal, error.detail ?? error.code.rawValue, bearer, origin: origin, at: now)
            throw error
        }
        try await pass(limits.approverKey(bearer.subject, for: act), bearer, origin: origin, at: now)
        return approver
    }

    private func pass(
        _ key: RateLimitKey, _ bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await gate.pass(
            [key], of: bearer.subject, client: clients.current.recordable(bearer.clientID), origin: origin, at: now,
            else: .rateLimited, "too many requests of this user")
    }

    /// Whether a bearer might approve now, and why not. Nothing is counted.
    /// - Returns: `nil` where it may not.
    func explain(
        _ bearer: BearerIdentity, at now: Timestamp, in explanation: inout Explanation
    ) async throws -> ApprovingPhone? {
        let session = try await session(of: bearer)
        do throws(OAuthError) {
            let session = try check(bearer, session: session, isFresh: true, for: .approval, at: now)
            explanation.check("app may approve", fails: nil, found: session.id.rawValue)
            return phone(of: bearer, in: session)
        } catch {
            explanation.check("app may approve", fails: error.detail ?? error.code.rawValue)
            return nil
        }
    }

    private func phone(of bearer: BearerIdentity, in session: AppSession) -> ApprovingPhone {
        ApprovingPhone(
            subject: session.subject, clientID: session.clientID, sessionID: session.id,
            scope: bearer.scope ?? session.scope)
    }

    /// Whether a bearer has everything of its session that its app may have now: what the app's document has lost, no
    /// bearer has.
    func isWhole(_ bearer: BearerIdentity, of session: AppSession) -> Bool {
        guard let app = clients.current[session.clientID] else { return false }
        return session.lineage.isWhole(bearer.scope ?? .empty, for: app)
    }

    /// Whether what an app has approved still opens a session.
    enum Standing {
        /// What is opened hangs under the app's session.
        case good(AppSession)
        case over(RefusalReason)
    }

    /// Asks again, when an approval is used, for what it took: the app may have lost its right meanwhile.
    /// - Parameter approval: when it was given. It is then that the sign-in must not have been too old: the minute for
    ///   typing the digits (contract §9) is not taken off what the website allows.
    func standing(
        of phone: ApprovingPhone, since approval: Timestamp, at now: Timestamp
    ) async throws -> Standing {
        guard let session = try await apps.appSession(id: phone.sessionID), session.isAlive(at: now),
            session.subject == phone.subject
        else { return .over(.sessionEnded) }
        if let flaw = flaw(in: session, at: approval) { return .over(flaw.reason) }
        return .good(session)
    }

    /// Why a session may open none in a browser.
    private enum Flaw {
        case chained
        case withoutRight
        case websiteNotReachable
        /// - Parameter challenge: what the website wants.
        case tooWeak(challenge: String)

        var reason: RefusalReason {
            switch self {
            case .chained: .chainedSession
            case .withoutRight: .clientWithoutRight
            case .websiteNotReachable: .targetNotReachable
            case .tooWeak: .authenticationTooWeak
            }
        }

        func error(for act: Act) -> OAuthError {
            switch self {
            case .chained: PhoneApprovers.refused(reason, "a session that was itself handed over cannot \(act.words)")
            case .withoutRight: PhoneApprovers.refused(reason, "this client may not open sessions in browsers")
            case .websiteNotReachable: PhoneApprovers.refused(reason, "this client may not open the website")
            case .tooWeak(let challenge):
                OAuthError(
                    .insufficientUserAuthentication, "the sign-in is too weak or too old for the website",
                    detail: reason, challenge: challenge)
            }
        }
    }

    private func flaw(in session: AppSession, at moment: Timestamp) -> Flaw? {
        guard session.lineage.mayApproveSignIn else { return .chained }
        let directory = clients.current
        guard let app = directory[session.clientID], app.canIssueLoginTokens else { return .withoutRight }
        guard let website = directory.defaultWebsite else { return nil }
        guard app.mayReach.contains(website.id) else { return .websiteNotReachable }
        guard website.accepts(session.authentication, at: moment) else {
            return .tooWeak(challenge: website.authenticationChallenge)
        }
        return nil
    }

    private func session(of bearer: BearerIdentity) async throws -> AppSession? {
        // How another issuer's sessions came to be is not known here.
        guard bearer.authority == .own, let id = bearer.sessionID else { return nil }
        return try await apps.appSession(id: id)
    }

    private func check(
        _ bearer: BearerIdentity, session: AppSession?, isFresh: Bool, for act: Act, at now: Timestamp
    ) throws(OAuthError) -> AppSession {
        guard let session, session.subject == bearer.subject, session.clientID == bearer.clientID else {
            throw Self.refused(.noAppSession, "only an app that its user signed in to here may \(act.words)")
        }
        guard session.isAlive(at: now) else {
            throw OAuthError(.invalidToken, detail: .sessionEnded)
        }
        if let flaw = flaw(in: session, at: now) { throw flaw.error(for: act) }
        if isFresh {
            guard let issuedAt = bearer.issuedAt, now - issuedAt <= Self.tokenAge else {
                let minutes = Self.tokenAge.inMilliseconds / 60_000
                throw OAuthError(
                    .invalidToken, "the access token is older than \(minutes) minutes: renew it", detail: .tokenTooOld)
            }
        }
        return session
    }

    private static func refused(_ reason: RefusalReason, _ words: String) -> OAuthError {
        OAuthError(.unauthorizedClient, words, detail: reason)
    }

    func record(
        _ type: AuditEventType, _ reason: String, _ bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await refusals.record(
            AuditEvent(
                at: now, type: type, outcome: .failure, reason: reason, subject: bearer.subject,
                clientID: clients.current.recordable(bearer.clientID), sessionID: bearer.sessionID, origin: origin))
    }
}

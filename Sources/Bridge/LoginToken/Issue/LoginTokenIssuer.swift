import OAuth2

/// Issues login tokens to apps (contract §3), and lets an app ask about and revoke its own.
package final class LoginTokenIssuer: Sendable {
    private let settings: LoginTokenSettings
    private let codec: LoginTokenCodec
    private let clients: Reloadable<ClientDirectory>
    private let subjects: Subjects
    private let parents: ParentSessions
    private let store: any LoginTokenStore
    private let limiter: any RateLimiter
    private let limits: LimitSettings
    private let refusals: RefusalLog
    private let time: TimeSource
    private let random: RandomSource

    package init(
        settings: LoginTokenSettings, codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>,
        subjects: Subjects, parents: ParentSessions, store: any LoginTokenStore, limiter: any RateLimiter,
        limits: LimitSettings, refusals: RefusalLog, time: TimeSource = .system, random: RandomSource = .system
    ) {
        self.settings = settings
        self.codec = codec
        self.clients = clients
        self.subjects = subjects
        self.parents = parents
        self.store = store
        self.limiter = limiter
        self.limits = limits
        self.refusals = refusals
        self.time = time
        self.random = random
    }

    /// What a token is issued from.
    private struct Issuing {
        let session: IssuingSession
        /// Whether the bearer names a user whom nobody has named before.
        let isFirstSight: Bool
    }

    /// Issues a token for the user and app that a verified bearer names.
    /// - Throws: `OAuthError` by contract §3; ``StorageError`` when a store cannot decide.
    package func issue(
        _ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin
    ) async throws -> LoginTokenAnswer {
        let now = time.now()
        do {
            return try await issue(request, bearer: bearer, origin: origin, at: now)
        } catch let error as OAuthError {
            try await refusals.issueRefused(error, bearer: bearer, request: request, origin: origin, at: now)
            throw error
        }
    }

    /// Makes every check of an issue but the limits; issues, counts and writes nothing.
    /// - Throws: as ``issue(_:bearer:origin:)``.
    func check(_ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin) async throws {
        _ = try await checkedTerms(request, bearer: bearer, origin: origin, at: time.now())
    }

    /// The limits come before every other check, or refusals would be free; only a repeat that gets its answer again
    /// does not count (contract §3).
    private func issue(
        _ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws -> LoginTokenAnswer {
        let earlier = try await earlierIssue(request, bearer: bearer, at: now)
        if earlier == nil { try await takeFromLimits(bearer, origin: origin, at: now) }
        do {
            let (terms, issuing) = try await checkedTerms(request, bearer: bearer, origin: origin, at: now)
            let idempotency = try request.idempotencyKey.map { key in
                (
                    digest: try Self.keyDigest(key, bearer: bearer),
                    fingerprint: IssueFingerprint.request(terms, bearer: bearer)
                )
            }
            guard let earlier else {
                return try await record(
                    terms, bearer: bearer, issuing: issuing, idempotency: idempotency, origin: origin, at: now)
            }
            guard earlier.fingerprint == idempotency?.fingerprint else { throw Self.keyReused }
            return try await answer(repeating: earlier, terms: terms, at: now)
        } catch let error as OAuthError where earlier != nil {
            try await takeFromLimits(bearer, origin: origin, at: now)
            throw error
        }
    }

    /// What was issued before with the request's `Idempotency-Key`.
    private func earlierIssue(
        _ request: LoginTokenIssueRequest, bearer: BearerIdentity, at now: Timestamp
    ) async throws -> IdempotencyRecord? {
        guard let digest = try? request.idempotencyKey.map({ try Self.keyDigest($0, bearer: bearer) }) else {
            return nil
        }
        return try await store.idempotencyRecord(keyDigest: digest, at: now)
    }

    private func takeFromLimits(_ bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp) async throws {
        guard
            case .exceeded(let wait, let scope) = try await limiter.take(
                limits.issueKeys(bearer, origin: origin), at: now)
        else { return }
        throw OAuthError(
            .rateLimited, "too many login tokens were asked for", detail: scope, retryAfter: wait.roundedUpSeconds)
    }

    /// What the token will say and what it is issued from, after every check of app, website, user and session.
    private func checkedTerms(
        _ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws -> (terms: LoginTokenTerms, issuing: Issuing) {
        guard let app = clients.current[bearer.clientID] else {
            throw OAuthError(
                .unauthorizedClient, "this client may not issue login tokens", detail: .unknownClient)
        }
        let terms = try LoginTokenTerms(
            request, app: app, clients: clients.current, defaultLifetime: settings.defaultLifetime,
            address: origin.address, codeKey: codec.signingKeyID(at: now))
        let issuing = try await issuingSession(of: bearer, at: now)
        guard terms.website.accepts(bearer.authentication, at: now) else {
            throw OAuthError(
                .insufficientUserAuthentication, "the sign-in is too weak or too old for that website",
                detail: .authenticationTooWeak, challenge: terms.website.authenticationChallenge)
        }
        return (terms, issuing)
    }

    private func issuingSession(of bearer: BearerIdentity, at now: Timestamp) async throws -> Issuing {
        let isUnseen: Bool
        switch try await subjects.admission(of: bearer, at: now) {
        case .admitted: isUnseen = false
        case .unseen: isUnseen = true
        case .disabled: throw OAuthError(.invalidToken, "the access token is not valid", detail: .subjectDisabled)
        case .ofAnotherIssuer:
            throw OAuthError(
                .invalidToken, "the access token is not valid", detail: BearerRefusal.subjectOfAnotherIssuer.rawValue)
        }
        switch try await parents.standing(of: bearer.sessionID, scope: bearer.scope, at: now) {
        case .mayIssue(let session): return Issuing(session: session, isFirstSight: isUnseen)
        case .ended: throw OAuthError(.invalidToken, "the access token is not valid", detail: .sessionEnded)
        case .chained:
            throw OAuthError(
                .unauthorizedClient, "a session that was itself handed over cannot issue login tokens",
                detail: .chainedSession)
        }
    }

    private func record(
        _ terms: LoginTokenTerms, bearer: BearerIdentity, issuing: Issuing,
        idempotency: (digest: String, fingerprint: String)?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> LoginTokenAnswer {
        let issuedAt = Timestamp(seconds: now.seconds)
        let claims = LoginTokenClaims(
            issuer: settings.issuer.description, audience: terms.website.id, subject: bearer.subject,
            issuedAt: issuedAt, expiresAt: issuedAt + terms.lifetime, id: TokenID.make(at: now, random: random),
            clientID: bearer.clientID, sessionID: bearer.sessionID, authentication: bearer.authentication,
            target: terms.target?.serialized, binding: terms.binding, trace: RecordedSpan.current?.trace)
        guard let signed = codec.sign(claims, at: now) else {
            throw StorageError.unavailable("no login token key may sign now")
        }
        let event = AuditEvent(
            at: now, type: .loginTokenIssued, outcome: .success, subject: bearer.subject, clientID: bearer.clientID,
            targetClientID: terms.website.id, sessionID: bearer.sessionID, tokenID: claims.id, origin: origin)
        let kept = idempotency.map {
            IdempotencyRecord(
                keyDigest: $0.digest, fingerprint: $0.fingerprint, tokenID: claims.id, keyID: signed.keyID,
                payload: signed.payload, expiresAt: claims.expiresAt)
        }
        let outcome = try await store.recordIssue(
            claims.issued, scope: issuing.session.narrowedScope,
            namedFirstBy: issuing.isFirstSight ? bearer.issuer : nil, idempotency: kept, event: event)
        if issuing.isFirstSight { subjects.forget(bearer.subject) }
        switch outcome {
        case .recorded:
            // Before the answer leaves, so that no session is opened that says what was true before.
            try await subjects.takeGroups(of: bearer, origin: origin, at: now)
            return answer(signed.token, claims, terms: terms, at: now)
        case .repeated(let record):
            // Its first came at the same time, and has counted for both.
            try await limiter.giveBack(limits.issueKeys(bearer, origin: origin), at: now)
            return try await answer(repeating: record, terms: terms, at: now)
        case .keyReused: throw Self.keyReused
        case .userKnown:
            // Not assumed of one that was there by then: another issuer's token may have been first.
            let known = try await issuingSession(of: bearer, at: now)
            return try await record(
                terms, bearer: bearer, issuing: known, idempotency: idempotency, origin: origin, at: now)
        }
    }

    private static let keyReused = OAuthError(
        .idempotencyKeyReused, "this Idempotency-Key was used for another request", detail: .idempotencyKeyReused)

    private static func keyDigest(_ key: String, bearer: BearerIdentity) throws(OAuthError) -> String {
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw OAuthError(.invalidRequest, "Idempotency-Key must be 1 to 255 visible ASCII characters")
        }
        return IssueFingerprint.keyDigest(key, bearer: bearer)
    }

    private func answer(
        repeating record: IdempotencyRecord, terms: LoginTokenTerms, at now: Timestamp
    ) async throws -> LoginTokenAnswer {
        guard let signed = try await codec.sign(again: record.payload, keyID: record.keyID, at: now),
            let claims = LoginTokenPayload.decode(Array(record.payload.utf8))
        else { throw StorageError.unavailable("no login token key may sign now") }
        return answer(signed.token, claims, terms: terms, at: now)
    }

    private func answer(
        _ token: Secret<String>, _ claims: LoginTokenClaims, terms: LoginTokenTerms, at now: Timestamp
    ) -> LoginTokenAnswer {
        let page = settings.page(of: terms.website, isHandOff: terms.isHandOff)
        var url = page.description + "?token=" + token.expose()
        if let target = terms.target { url += "&redirect=" + PercentEncoding.encode(target.serialized) }
        return LoginTokenAnswer(
            token: token, id: claims.id, expiresAt: claims.expiresAt,
            expiresIn: Int(terms.lifetime.inMilliseconds / 1000), loginURL: Secret(url),
            typedCode: codec.typedCodes.code(of: claims, at: now))
    }
}

extension LoginTokenIssuer {
    /// Issues for a browser that goes on to another website (contract §4.6).
    /// - Parameter goesOn: asked once every check has passed, whether anything would come of it.
    /// - Returns: `nil` when nothing would.
    /// - Throws: `OAuthError` by contract §3; ``StorageError`` when a store cannot decide.
    func handOff(
        _ order: HandOffs.Order, from session: WebSession, origin: RequestOrigin, goesOn: () async throws -> Bool
    ) async throws -> LoginTokenAnswer? {
        let now = time.now()
        let portal = portal(of: session)
        let bearer = BearerIdentity(
            subject: session.subject, clientID: portal?.id ?? session.clientID,
            issuer: settings.issuer.description, authority: .own, sessionID: session.id,
            authentication: session.authentication, expiresAt: session.expiresAt)
        let request = LoginTokenIssueRequest(targetClientID: order.website, redirect: order.redirect)
        do {
            // Not counted in the user's limits: such a cookie need not be in their hands alone.
            guard session.isOwnSignIn else {
                throw OAuthError(
                    .unauthorizedClient, "a session that was itself handed over cannot be handed on",
                    detail: .chainedSession)
            }
            // Before every other check, as at an issue.
            try await takeFromLimits(bearer, origin: origin, at: now)
            guard let portal, portal.isPortal else {
                throw OAuthError(
                    .unauthorizedClient, "this website is no portal to others", detail: .clientWithoutRight)
            }
            guard order.website != nil else { throw OAuthError(.invalidRequest, "client_id is missing") }
            let terms = try LoginTokenTerms(handOff: request, portal: portal, clients: clients.current, order.state)
            if try await subjects.isDisabled(session.subject, at: now) {
                throw OAuthError(.invalidToken, "the session is over", detail: .subjectDisabled)
            }
            guard terms.website.accepts(session.authentication, at: now) else {
                throw OAuthError(
                    .insufficientUserAuthentication, "the sign-in is too weak or too old for that website",
                    detail: .authenticationTooWeak, challenge: terms.website.authenticationChallenge)
            }
            guard try await goesOn() else {
                try await refusals.handOffStuck(bearer, at: terms.website.id, origin: origin, at: now)
                return nil
            }
            return try await record(
                terms, bearer: bearer, issuing: Issuing(session: .browser(session), isFirstSight: false),
                idempotency: nil, origin: origin, at: now)
        } catch let error as OAuthError {
            try await refusals.issueRefused(
                error, bearer: bearer, request: request, origin: origin,
                repeating: session.isOwnSignIn ? nil : session.id, at: now)
            throw error
        }
    }

    /// Whose word counts: the website that the session was opened for, else the default one.
    private func portal(of session: WebSession) -> Client? {
        let directory = clients.current
        return directory[session.clientID] ?? directory.defaultWebsite
    }
}

extension RefusalLog {
    /// A browser that came back at once from where it was sent.
    fileprivate func handOffStuck(
        _ bearer: BearerIdentity, at website: ClientID, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        let pair = "hand-off \(bearer.sessionID?.rawValue ?? "") \(website.rawValue)"
        try await record(
            AuditEvent(
                at: now, type: .loginTokenRefused, outcome: .failure, reason: RefusalReason.handOffStuck.rawValue,
                subject: bearer.subject, clientID: bearer.clientID, targetClientID: website,
                sessionID: bearer.sessionID, origin: origin, detail: #"{"at":"issue"}"#),
            within: .repeats(of: pair))
    }

    /// An issue that was refused to a verified bearer.
    /// - Parameter repeating: a session that no limit holds back.
    func issueRefused(
        _ error: OAuthError, bearer: BearerIdentity, request: LoginTokenIssueRequest, origin: RequestOrigin,
        repeating: SessionID? = nil, at now: Timestamp
    ) async throws {
        if error.code == .rateLimited {
            return try await limitExceeded(
                scope: error.detail ?? "issue", subject: bearer.subject, clientID: bearer.clientID, origin: origin,
                at: now)
        }
        let isRedirect = error.code == .invalidRedirect
        let event = AuditEvent(
            at: now, type: isRedirect ? .redirectRefused : .loginTokenRefused, outcome: .failure,
            reason: error.detail ?? error.code.rawValue, subject: bearer.subject, clientID: bearer.clientID,
            targetClientID: nil, sessionID: bearer.sessionID, origin: origin,
            detail: isRedirect ? request.redirect.map(RefusedRedirect.detail) : #"{"at":"issue"}"#)
        guard let repeating else { return try await record(event) }
        try await record(event, within: .repeats(of: repeating.rawValue))
    }
}

import OAuth2

/// Issues login tokens to apps (contract §3); ``LoginTokenOverview`` says what an app may do with its own afterwards.
package final class LoginTokenIssuer: Sendable {
    private let settings: LoginTokenSettings
    private let codec: LoginTokenCodec
    let clients: Reloadable<ClientDirectory>
    private let subjects: Subjects
    private let parents: ParentSessions
    private let store: any LoginTokenStore
    private let gate: LimitGate
    private let limits: LimitSettings
    private let refusals: RefusalLog
    private let time: TimeSource
    private let mint: LoginTokenMint

    package init(
        settings: LoginTokenSettings, codec: LoginTokenCodec, clients: Reloadable<ClientDirectory>,
        subjects: Subjects, parents: ParentSessions, store: any LoginTokenStore, limiter: any RateLimiter,
        limits: LimitSettings, refusals: RefusalLog, time: TimeSource, random: RandomSource = .system
    ) {
        self.settings = settings
        self.codec = codec
        self.clients = clients
        self.subjects = subjects
        self.parents = parents
        self.store = store
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.refusals = refusals
        self.time = time
        mint = LoginTokenMint(settings: settings, codec: codec, store: store, subjects: subjects, random: random)
    }

    /// Issues a token for the user and app that a verified bearer names.
    /// - Throws: `OAuthError` by contract §3; ``StorageError`` when a store cannot decide.
    package func issue(
        _ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin
    ) async throws -> LoginTokenAnswer {
        let now = time.now()
        do {
            return try await issue(request, bearer: bearer, origin: origin, at: now)
        } catch let error as OAuthError where error.code != .rateLimited {
            let directory = clients.current
            let website = LoginTokenTerms.websiteID(request.targetClientID, directory)
            try await refusals.issueRefused(
                error, RefusedIssue(bearer: bearer, website: website, redirect: request.redirect), among: directory,
                origin: origin, at: now)
            throw error
        }
    }

    /// As ``issue(_:bearer:origin:)`` for a request that is still to be read: one that cannot be read counts as well.
    /// - Parameter read: throws what is wrong with the request.
    package func issue(
        reading read: () async throws -> LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin
    ) async throws -> LoginTokenAnswer {
        let request: LoginTokenIssueRequest
        do {
            request = try await read()
        } catch {
            // Whether it repeats an earlier one is not known.
            let now = time.now()
            try await takeFromLimits(bearer, origin: origin, at: now)
            guard let flaw = error as? OAuthError else { throw error }
            let refusal = lackOfRight(bearer) ?? flaw
            try await refusals.issueRefused(
                refusal, RefusedIssue(bearer: bearer), among: clients.current, origin: origin, at: now)
            throw refusal
        }
        return try await issue(request, bearer: bearer, origin: origin)
    }

    /// Makes every check of an issue but the limits; issues, counts and writes nothing.
    /// - Throws: as ``issue(_:bearer:origin:)``.
    func check(_ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin) async throws {
        _ = try await checked(request, bearer: bearer, origin: origin, at: time.now())
    }

    /// The limits come before every other check, or refusals would be free; only a repeat that gets its answer again,
    /// and has nothing new to say, does not count (contract §3).
    private func issue(
        _ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws -> LoginTokenAnswer {
        let earlier = try await earlierIssue(request, bearer: bearer, at: now)
        if earlier == nil { try await takeFromLimits(bearer, origin: origin, at: now) }
        do {
            var issuing = try await checked(request, bearer: bearer, origin: origin, at: now)
            let terms = issuing.terms
            issuing.mark = try request.idempotencyKey.map { key in
                RepeatMark(
                    keyDigest: try Self.keyDigest(key, bearer: bearer),
                    fingerprint: IssueFingerprint.request(terms, bearer: bearer))
            }
            guard let earlier else { return try await issued(issuing) }
            guard earlier.fingerprint == issuing.mark?.fingerprint else { throw Self.keyReused }
            // Two bearers that say different groups could take turns, and write each time.
            if try await subjects.isNews(bearer) { try await takeFromLimits(bearer, origin: origin, at: now) }
            return try await mint.answer(repeating: earlier, of: issuing)
        } catch let error as OAuthError where earlier != nil && error.code != .rateLimited {
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
        try await gate.pass(
            limits.issueKeys(bearer, origin: origin), of: bearer.subject,
            client: clients.current.recordable(bearer.clientID), origin: origin, at: now, else: .rateLimited,
            "too many login tokens were asked for")
    }

    /// What the token will say and what it is issued from, after every check of app, website, user and session.
    private func checked(
        _ request: LoginTokenIssueRequest, bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws -> CheckedIssue {
        guard let keyID = codec.signingKeyID(at: now) else {
            throw StorageError.unavailable("no login token key may sign now")
        }
        let terms = try LoginTokenTerms(
            request, app: app(of: bearer), clients: clients.current, defaultLifetime: settings.defaultLifetime,
            address: origin.address, codeKey: keyID)
        return try await checked(terms, bearer: bearer, origin: origin, at: now)
    }

    private func checked(
        _ terms: LoginTokenTerms, bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp
    ) async throws -> CheckedIssue {
        let (session, isFirstSight) = try await issuingSession(of: bearer, at: now)
        guard session.appsAboveOpen(terms.website, in: clients.current) else {
            throw OAuthError(
                .unauthorizedClient, "an app that this one's sign-in came from may not open that website",
                detail: .targetNotReachableAbove)
        }
        guard session.isStillShared(in: clients.current) else {
            throw OAuthError(
                .unauthorizedClient, "the app that this one's sign-in came from shares it no longer",
                detail: .sharedNoLonger)
        }
        try Self.requireSignIn(bearer.authentication, for: terms.website, at: now)
        return CheckedIssue(
            terms: terms, bearer: bearer, session: session, isFirstSight: isFirstSight, origin: origin, at: now)
    }

    private func app(of bearer: BearerIdentity) throws(OAuthError) -> Client {
        guard let app = clients.current[bearer.clientID] else {
            throw OAuthError(
                .unauthorizedClient, "this client may not issue login tokens", detail: .unknownClient)
        }
        return app
    }

    /// What is said before anything that a request says (contract §3): that its app issues nothing at all.
    private func lackOfRight(_ bearer: BearerIdentity) -> OAuthError? {
        do {
            try LoginTokenTerms.requireRight(of: app(of: bearer))
            return nil
        } catch {
            return error
        }
    }

    private static func requireSignIn(
        _ authentication: Authentication, for website: Client, at now: Timestamp
    ) throws(OAuthError) {
        guard website.accepts(authentication, at: now) else {
            throw OAuthError(
                .insufficientUserAuthentication, "the sign-in is too weak or too old for that website",
                detail: .authenticationTooWeak, challenge: website.authenticationChallenge)
        }
    }

    private func issuingSession(
        of bearer: BearerIdentity, at now: Timestamp
    ) async throws -> (session: IssuingSession, isFirstSight: Bool) {
        let isUnseen = try await subjects.admit(bearer)
        switch try await parents.standing(of: bearer.sessionID, scope: bearer.scope, at: now) {
        case .mayIssue(let session): return (session.present(in: clients.current), isUnseen)
        case .ended: throw OAuthError(.invalidToken, "the access token is not valid", detail: .sessionEnded)
        case .chained:
            throw OAuthError(
                .unauthorizedClient, "a session that was itself handed over cannot issue login tokens",
                detail: .chainedSession)
        }
    }

    private func issued(_ issue: CheckedIssue) async throws -> LoginTokenAnswer {
        if let answer = try await answer(to: issue) { return answer }
        // Not assumed of one that was there by then: another issuer's token may have been first.
        var known = issue
        (known.session, known.isFirstSight) = try await issuingSession(of: issue.bearer, at: issue.at)
        if let answer = try await answer(to: known) { return answer }
        // What reads does not see what writes saw, and will not for as long as the two are at different databases: each
        // further turn would be one more write, without an end.
        throw StorageError.unavailable("a user whom the database has on writing is not there on reading")
    }

    /// - Returns: `nil` when the user turned out to be known.
    private func answer(to issue: CheckedIssue) async throws -> LoginTokenAnswer? {
        switch try await mint.issue(issue) {
        case .issued(let answer): return answer
        case .repeated(let record):
            // Its first came at the same time, and has counted for both; what this one has new to say counts.
            if try await !subjects.isNews(issue.bearer) {
                await gate.giveBack(limits.issueKeys(issue.bearer, origin: issue.origin), at: issue.at)
            }
            return try await mint.answer(repeating: record, of: issue)
        case .keyReused: throw Self.keyReused
        case .userKnown: return nil
        }
    }

    private static let keyReused = OAuthError(
        .idempotencyKeyReused, "this Idempotency-Key was used for another request", detail: .idempotencyKeyReused)

    private static func keyDigest(_ key: String, bearer: BearerIdentity) throws(OAuthError) -> String {
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy(ASCII.isVisible) else {
            throw OAuthError(.invalidRequest, "Idempotency-Key must be 1 to 255 visible ASCII characters")
        }
        return IssueFingerprint.keyDigest(key, bearer: bearer)
    }
}

extension LoginTokenIssuer {
    /// Issues for a browser that goes on to another website (contract §4.6).
    /// - Parameter read: what is asked for; throws what is wrong with the request, once that has counted.
    /// - Throws: `OAuthError` by contract §3; ``StorageError`` when a store cannot decide.
    func handOff(
        reading read: () async throws -> HandOffs.Request, from session: WebSession, origin: RequestOrigin
    ) async throws -> LoginTokenAnswer {
        try await checkedHandOff(reading: read, from: session, origin: origin) { try await issued($0) }
    }

    /// Issues for a browser that goes on to another website, unless that would lead nowhere.
    /// - Parameter goesOn: asked, once every check has passed, whether it would lead anywhere.
    func handOff(
        reading read: () async throws -> HandOffs.Request, from session: WebSession, origin: RequestOrigin,
        goesOn: () async throws -> Bool
    ) async throws -> HandOffs.Outcome {
        try await checkedHandOff(reading: read, from: session, origin: origin) { issuing in
            guard try await goesOn() else {
                try await refusals.handOffStuck(
                    issuing.bearer, at: issuing.terms.website.id, origin: origin, at: issuing.at)
                return .stuck
            }
            return .link(try await issued(issuing))
        }
    }

    /// Issues for a browser that an app's user has let in from another device and that goes on to a website elsewhere
    /// (ADR-0077): what the app could issue itself, used up without a click only in the browser that asked for it.
    /// - Parameters:
    ///   - scope: what the bearer has that approved.
    ///   - detail: what else there is to say of the approval.
    /// - Throws: `OAuthError` by contract §3, which is recorded; ``StorageError``.
    func handOff(
        _ asked: HandOffs.Request, approvedIn session: AppSession, scope: Scope, detail: String?,
        origin: RequestOrigin
    ) async throws -> LoginTokenAnswer {
        let now = time.now()
        let bearer = BearerIdentity(
            subject: session.subject, clientID: session.clientID, issuer: settings.issuer.description,
            authority: .own, sessionID: session.id, authentication: session.authentication, scope: scope,
            expiresAt: session.expiresAt)
        do {
            try await takeFromLimits(bearer, origin: origin, at: now)
            let terms = try LoginTokenTerms(
                handOff: LoginTokenIssueRequest(targetClientID: asked.website, redirect: asked.redirect),
                approvedIn: app(of: bearer), clients: clients.current, asked.state)
            guard takesApprovals(terms.website) else {
                throw OAuthError(
                    .unauthorizedClient, "a sign-in by another device does not lead to that website",
                    detail: .targetNotReachable)
            }
            var issuing = try await checked(terms, bearer: bearer, origin: origin, at: now)
            issuing.detail = detail
            issuing.reason = SessionOpening.deviceCode.rawValue
            return try await issued(issuing)
        } catch let error as OAuthError where error.code != .rateLimited {
            try await refusals.issueRefused(
                error,
                RefusedIssue(
                    bearer: bearer, website: asked.website.map(ClientID.init(rawValue:)), redirect: asked.redirect),
                among: clients.current, origin: origin, at: now)
            throw error
        }
    }

    /// Whether some app's approval may lead a browser on to a website.
    func takesApprovals(atWebsite id: ClientID) -> Bool {
        let directory = clients.current
        guard let website = directory[id], website.kind == .web, takesApprovals(website),
            website.acceptsApprovals(at: time.now())
        else { return false }
        return directory.hasClient { directory.mayApproveSignIns($0) && $0.opens(website) }
    }

    /// A session that an app opens is judged by where the app's own links lead: its cookies are there, for the server
    /// of that place to see. So they must lead to the same origin; and at a relying party's they would answer its
    /// authorization requests, which those of a hand-off do not.
    private func takesApprovals(_ website: Client) -> Bool {
        website.redirectURIs.isEmpty
            && settings.page(of: website, isHandOff: true).origin == settings.page(of: website, isHandOff: false).origin
    }

    /// - Parameter conclude: makes the result of a hand-off that passed every check.
    private func checkedHandOff<Answer>(
        reading read: () async throws -> HandOffs.Request, from session: WebSession, origin: RequestOrigin,
        conclude: (CheckedIssue) async throws -> Answer
    ) async throws -> Answer {
        let now = time.now()
        let portal = portal(of: session)
        let bearer = BearerIdentity(
            subject: session.subject, clientID: portal?.id ?? session.clientID,
            issuer: settings.issuer.description, authority: .own, sessionID: session.id,
            authentication: session.authentication, expiresAt: session.expiresAt)
        var request = LoginTokenIssueRequest()
        do {
            // Not counted in the user's limits: such a cookie need not be in their hands alone.
            guard session.isOwnSignIn else {
                throw OAuthError(
                    .unauthorizedClient, "a session that was itself handed over cannot be handed on",
                    detail: .chainedSession)
            }
            // Before every other check, as at an issue.
            try await takeFromLimits(bearer, origin: origin, at: now)
            let asked = try await read()
            request = LoginTokenIssueRequest(targetClientID: asked.website, redirect: asked.redirect)
            guard let portal, portal.isPortal else {
                throw OAuthError(
                    .unauthorizedClient, "this website is no portal to others", detail: .clientWithoutRight)
            }
            guard asked.website != nil else { throw OAuthError(.invalidRequest, "client_id is missing") }
            let terms = try LoginTokenTerms(handOff: request, portal: portal, clients: clients.current, asked.state)
            if try await subjects.isDisabled(session.subject) {
                throw OAuthError(.invalidToken, "the session is over", detail: .subjectDisabled)
            }
            try Self.requireSignIn(session.authentication, for: terms.website, at: now)
            return try await conclude(
                CheckedIssue(
                    terms: terms, bearer: bearer, session: .browser(session), isFirstSight: false, origin: origin,
                    at: now))
        } catch let error as OAuthError where error.code != .rateLimited {
            let website = request.targetClientID.map(ClientID.init(rawValue:))
            try await refusals.issueRefused(
                error, RefusedIssue(bearer: bearer, website: website, redirect: request.redirect),
                among: clients.current, origin: origin, repeating: session.isOwnSignIn ? nil : session.id, at: now)
            throw error
        }
    }

    /// Whose word counts: the website that the session was opened for, else the default one.
    private func portal(of session: WebSession) -> Client? {
        let directory = clients.current
        return directory[session.clientID] ?? directory.defaultWebsite
    }
}

package import OAuth2

/// Signs users in who come from an upstream OpenID Provider.
///
/// The trip's facts travel in `state`, sealed and bound to the browser by its form cookie; nothing is stored until the
/// user is known. Accounts are found by `iss` and `sub` alone: an e-mail address may change hands.
package final class UpstreamSignIn: Sendable {
    /// Why an account was made, in the audit log.
    private static let method = "upstream"
    static let tripLifetime = Authorizations.journeyLifetime
    /// How long the question stands that ``Outcome/asks`` is: as long as its form.
    static let questionLifetime = FormTokens.lifetime
    /// How long before the trip a sign-in there may lie that still counts as made in it: by so much the provider's clock
    /// may be behind.
    static let earliestBeforeTrip = Duration.seconds(60)

    package let providers: [any UpstreamProvider]
    private let accounts: any UserStore
    private let uses: any RequestStore
    private let opener: SessionOpener
    private let refusals: RefusalLog
    private let gate: LimitGate
    private let limits: LimitSettings
    private let seal: ShortLivedSeal
    private let answers: ShortLivedSeal
    private let time: TimeSource
    private let random: RandomSource
    private let recorder: SpanRecorder?

    /// - Parameters:
    ///   - uses: keeps which answers were taken in after a question.
    ///   - recorder: `nil` where no traces are recorded.
    package init(
        providers: [any UpstreamProvider], accounts: any UserStore, uses: any RequestStore, opener: SessionOpener,
        refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings, keys: Reloadable<SecretKeyRing>,
        time: TimeSource, random: RandomSource = .system, recorder: SpanRecorder? = nil
    ) {
        self.providers = providers
        self.accounts = accounts
        self.uses = uses
        self.opener = opener
        self.refusals = refusals
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        seal = ShortLivedSeal(keys: keys, purpose: .upstreamSignIn, time: time)
        answers = ShortLivedSeal(keys: keys, purpose: .upstreamAnswer, time: time)
        self.time = time
        self.random = random
        self.recorder = recorder
    }

    /// Where the browser goes; `nil` for a provider that is not configured.
    /// - Parameters:
    ///   - errand: what the sign-in is for; comes back with the answer.
    ///   - here: our origin that the browser is at, and comes back to.
    ///   - isFresh: whether a new sign-in is what is wanted, as when the browser has a session already.
    package func begin(
        _ id: String, errand: String, browser: OpaqueSecret, at here: WebOrigin, isFresh: Bool
    ) async throws -> String? {
        guard let provider = providers.first(where: { $0.id == id }),
            let verifier = CodeVerifier(random.text(32))
        else { return nil }
        let nonce = random.text(16)
        var trip = JSONObjectWriter()
        trip.add("provider", id)
        trip.add("nonce", nonce)
        trip.add("verifier", verifier.value)
        trip.add("began", time.now().milliseconds)
        trip.add("fresh", isFresh)
        trip.add("errand", errand)
        trip.add("trace", RecordedSpan.current?.trace.journey)
        let state = try seal.seal(trip.finish(), binding: browser.digest, lifetime: Self.tripLifetime)
        return try await provider.authorizationURL(
            for: UpstreamRequest(
                state: state, nonce: nonce, verifier: verifier, redirectURI: Self.callback(of: id, at: here)),
            isFresh: isFresh)
    }

    /// The outcome of a trip to the provider.
    package enum Outcome: Sendable {
        case signedIn(OpenedSession, errand: String)
        /// Somebody else is signed in in this browser, who is asked first (contract §4.3).
        /// - Parameters:
        ///   - proposed: the provider's user; one who has no account yet, by the provider's own name for them.
        ///   - sealed: for ``UpstreamSignIn/switchAccount(_:sealed:browser:replacing:origin:)``.
        case asks(current: Subject, proposed: Account, sealed: String, errand: String)
        /// - Parameter errand: `nil` when the answer was not to one of our requests.
        case refused(errand: String?)
        /// Too many answers of this network; the provider was not asked.
        case limited(retryAfter: Duration, errand: String)

        /// One of few words, for traces.
        var label: String {
            switch self {
            case .signedIn: "opened"
            case .asks: "switch"
            case .refused: "refused"
            case .limited: "limited"
            }
        }
    }

    /// Takes in the provider's answer, at the origin where the trip began.
    /// - Parameters:
    ///   - held: the live sessions of the browser, by whichever cookies. A provider may answer at once, and a foreign
    ///     page can send a browser there, so the user of another account is asked before that one's session ends.
    ///   - current: the session whose place the new one takes, alive or not.
    package func finish(
        _ id: String, _ parameters: FormParameters, browser: OpaqueSecret, at here: WebOrigin, held: [WebSession],
        replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> Outcome {
        let now = time.now()
        guard !parameters.hasRepeated, let provider = providers.first(where: { $0.id == id }),
            let state = parameters["state"], let trip = trip(state, browser: browser), trip.provider == id
        else { return try await refuse(.stale, errand: nil, origin: origin, at: now) }
        return try await inTrace(of: trip) {
            do {
                let answer = try await answer(
                    to: trip, state: state, at: provider, parameters, at: here, origin: origin, now)
                switch answer {
                case .limited(let wait): return .limited(retryAfter: wait, errand: trip.errand)
                case .named(let answer):
                    if let question = try await question(answer, besides: held, browser: browser) { return question }
                    return try await open(answer, inPlaceOf: current, origin: origin, at: now)
                }
            } catch let refusal as UpstreamRefusal {
                return try await refuse(refusal, errand: trip.errand, origin: origin, at: now)
            }
        }
    }

    /// Takes in the "yes" to the question whether the provider's user takes the place of the browser's. It counts once:
    /// who signs out after it is not signed in again by a form that is sent again.
    package func switchAccount(
        _ id: String, sealed: String, browser: OpaqueSecret, replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> Outcome {
        let now = time.now()
        guard let answer = answer(sealed, of: id, browser: browser),
            try await uses.useUp(
                "upstream answer \(answer.mark)", madeAt: answer.cameAt, lifetime: Self.questionLifetime)
        else { return try await refuse(.stale, errand: nil, origin: origin, at: now) }
        return try await open(answer, inPlaceOf: current, origin: origin, at: now)
    }

    /// What the sign-in is for where the question is answered already: a form that is sent twice finds the provider's
    /// user signed in, and nobody else. Nothing changes.
    /// - Returns: `nil` as well for what is no answer of this browser's.
    package func answeredErrand(
        _ id: String, sealed: String, browser: OpaqueSecret, held: [WebSession]
    ) async throws -> String? {
        guard !held.isEmpty, let answer = answer(sealed, of: id, browser: browser),
            let known = try await accounts.account(linkedTo: answer.identity),
            held.allSatisfy({ $0.subject == known.subject })
        else { return nil }
        return answer.errand
    }

    private func answer(_ sealed: String, of id: String, browser: OpaqueSecret) -> UpstreamAnswer? {
        guard let answer = answers.open(sealed, binding: browser.digest).flatMap({ UpstreamAnswer($0) }),
            answer.provider == id, providers.contains(where: { $0.id == id })
        else { return nil }
        return answer
    }

    /// What is asked where another account's user is signed in; `nil` where nobody has to be asked. Nothing changes.
    private func question(
        _ answer: UpstreamAnswer, besides held: [WebSession], browser: OpaqueSecret
    ) async throws -> Outcome? {
        guard !held.isEmpty else { return nil }
        let known = try await accounts.account(linkedTo: answer.identity)
        // Who is disabled is refused, whoever is signed in.
        guard known?.disabledAt == nil, let other = held.first(where: { $0.subject != known?.subject }) else {
            return nil
        }
        let proposed =
            known
            ?? Account(
                subject: Subject(rawValue: answer.identity.subject), username: nil, displayName: answer.name,
                createdAt: answer.cameAt)
        var asked = answer
        asked.after = known?.lastEnd ?? Account.noEnd
        return .asks(
            current: other.subject, proposed: proposed,
            sealed: try answers.seal(asked.text, binding: browser.digest, lifetime: Self.questionLifetime),
            errand: answer.errand)
    }

    /// Runs `body` in the trace of the request that sent the browser away, where that was recorded.
    private func inTrace(of trip: Trip, _ body: () async throws -> Outcome) async throws -> Outcome {
        guard let recorder, let trace = trip.trace else { return try await body() }
        return try await recorder.run(.upstream, continuing: trace) { span in
            let outcome = try await body()
            span.note(.outcome, outcome.label)
            return outcome
        }
    }

    /// Whom the provider names, unless it is not asked now.
    private enum Answer {
        case named(UpstreamAnswer)
        case limited(Duration)
    }

    /// - Throws: ``UpstreamRefusal`` when the answer does not count.
    private func answer(
        to trip: Trip, state: String, at provider: any UpstreamProvider, _ parameters: FormParameters,
        at here: WebOrigin, origin: RequestOrigin, _ now: Timestamp
    ) async throws -> Answer {
        guard let code = parameters["code"], parameters["error"] == nil else { throw UpstreamRefusal.declined }
        // One good `state` may come back with any number of made-up codes, and each costs a request of ours with
        // our credentials. So they are counted before the provider is asked, and what it does not answer stays
        // counted; a user it names takes nothing from their neighbours.
        let keys = limits.upstreamAnswerKeys(origin: origin)
        let decision = try await gate.take(keys, origin: origin, at: now)
        if let wait = decision.retryAfter { return .limited(wait) }
        let user = try await provider.user(
            code: Secret(code), issuer: parameters["iss"],
            for: UpstreamRequest(
                state: state, nonce: trip.nonce, verifier: trip.verifier,
                redirectURI: Self.callback(of: trip.provider, at: here)), at: now)
        await gate.giveBack(keys, at: now)
        // An upstream that ignored what it was asked for must not pass for one that did it.
        guard !trip.isFresh || Self.isOfTrip(user, began: trip.began) else { throw UpstreamRefusal.notFresh }
        return .named(
            UpstreamAnswer(
                user, of: trip.provider,
                authentication: Self.authentication(of: user, began: trip.began, at: now), errand: trip.errand,
                mark: random.text(16), at: now))
    }

    private func open(
        _ answer: UpstreamAnswer, inPlaceOf current: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Outcome {
        let account = try await account(of: answer, origin: origin, at: now)
        guard account.disabledAt == nil,
            let opened = try await opener.open(
                for: account.subject, authentication: answer.authentication,
                provenBy: .upstream(
                    UpstreamSession(
                        issuer: answer.identity.issuer, subject: answer.identity.subject, session: answer.session),
                    after: answer.after),
                replacing: current, origin: origin, at: now)
        else {
            // Disabled; or all has ended since the provider's answer.
            let isDisabled = try await accounts.account(of: account.subject)?.disabledAt != nil
            return try await refuse(
                isDisabled ? .userDisabled : .stale, of: account.subject, errand: answer.errand, origin: origin,
                at: now)
        }
        return .signedIn(opened, errand: answer.errand)
    }

    private struct Trip {
        let provider: String
        let nonce: String
        let verifier: CodeVerifier
        let began: Timestamp
        let isFresh: Bool
        let errand: String
        let trace: TraceContext?
    }

    private func trip(_ state: String, browser: OpaqueSecret) -> Trip? {
        guard let text = seal.open(state, binding: browser.digest), let members = JSONValue.parse(text)?.object,
            let provider = members["provider"]?.string, let nonce = members["nonce"]?.string,
            let verifier = members["verifier"]?.string.flatMap({ CodeVerifier($0) }),
            let began = members["began"]?.integer, let isFresh = members["fresh"]?.bool,
            let errand = members["errand"]?.string
        else { return nil }
        return Trip(
            provider: provider, nonce: nonce, verifier: verifier, began: Timestamp(milliseconds: began),
            isFresh: isFresh, errand: errand, trace: members["trace"]?.string.flatMap { TraceContext(journey: $0) })
    }

    /// Where a provider sends the browser back to.
    package static func callback(of id: String, at origin: WebOrigin) -> String {
        "\(origin)\(SignInPath.callback)\(id)"
    }

    /// The linked account; a new one at the first sign-in.
    private func account(
        of user: UpstreamAnswer, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Account {
        if let known = try await accounts.account(linkedTo: user.identity) { return known }
        let account = Account(
            subject: Account.makeSubject(random: random), username: nil, displayName: user.name, email: user.email,
            createdAt: now)
        let event = AuditEvent(
            at: now, type: .userCreated, outcome: .success, reason: Self.method, subject: account.subject,
            origin: origin)
        if try await accounts.addAccount(account, issuer: user.identity.issuer, link: user.identity, event: event)
            == .added
        {
            return account
        }
        // Another request of the same user was first.
        guard let known = try await accounts.account(linkedTo: user.identity) else {
            throw StorageError.corrupt("an upstream identity is neither free nor taken")
        }
        return known
    }

    /// A sign-in there during this trip has its time, but none before the trip and none to come, whatever the clock
    /// there says; an older one keeps its time, and one of which nothing is told has none: it may be of any age. Not
    /// the time of the way back: a browser may be left standing there for as long as a trip may take.
    private static func authentication(of user: UpstreamUser, began: Timestamp, at now: Timestamp) -> Authentication {
        let level: AuthenticationLevel =
            user.methods.contains(Authentication.multipleFactors) ? .twoFactors : .oneFactor
        return Authentication(
            time: user.authenticatedAt.map { isOfTrip(user, began: began) ? min(now, max($0, began)) : $0 },
            acr: level.rawValue,
            amr: user.methods.filter { !oursToSay.contains($0) })
    }

    /// What counts here as shown to us: a code alone makes two factors of a password that we checked.
    private static let oursToSay = [Authentication.password, Authentication.selfIssued]

    private static func isOfTrip(_ user: UpstreamUser, began: Timestamp) -> Bool {
        user.authenticatedAt.map { $0 >= began - earliestBeforeTrip } ?? false
    }

    private func refuse(
        _ refusal: UpstreamRefusal, of subject: Subject? = nil, errand: String?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws -> Outcome {
        // Anybody can come back from a trip that they never began.
        try await refusals.record(
            AuditEvent(
                at: now, type: .userSignInFailed, outcome: .failure, reason: refusal.rawValue, subject: subject,
                origin: origin),
            within: .network("audit.upstream", of: origin, perMinute: 10))
        return .refused(errand: errand)
    }
}

extension LimitSettings {
    func upstreamAnswerKeys(origin: RequestOrigin) -> [RateLimitKey] {
        widerNetworkKeys("sign_in.upstream", of: origin, upstreamAnswerPerNetwork)
    }
}

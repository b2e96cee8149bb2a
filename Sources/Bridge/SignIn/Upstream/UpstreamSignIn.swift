package import OAuth2

/// Signs users in who come from an upstream OpenID Provider.
///
/// The trip's facts travel in `state`, sealed and bound to the browser by its form cookie; nothing is stored until the
/// user is known. Accounts are found by `iss` and `sub` alone: an e-mail address may change hands.
package final class UpstreamSignIn: Sendable {
    static let tripLifetime = Authorizations.journeyLifetime
    /// How far the provider's clock may be off.
    static let clockTolerance = Duration.seconds(60)

    package let providers: [any UpstreamProvider]
    private let accounts: any UserStore
    private let opener: SessionOpener
    private let refusals: RefusalLog
    private let gate: LimitGate
    private let limits: LimitSettings
    private let seal: ShortLivedSeal
    private let time: TimeSource
    private let random: RandomSource
    private let recorder: SpanRecorder?

    /// - Parameter recorder: `nil` where no traces are recorded.
    package init(
        providers: [any UpstreamProvider], accounts: any UserStore, opener: SessionOpener,
        refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings, keys: Reloadable<SecretKeyRing>,
        time: TimeSource = .system, random: RandomSource = .system, recorder: SpanRecorder? = nil
    ) {
        self.providers = providers
        self.accounts = accounts
        self.opener = opener
        self.refusals = refusals
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        seal = ShortLivedSeal(keys: keys, purpose: "upstream sign-in", time: time)
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
        /// - Parameter errand: `nil` when the answer was not to one of our requests.
        case refused(errand: String?)
        /// Too many answers of this network; the provider was not asked.
        case limited(retryAfter: Duration, errand: String)

        /// One of few words, for traces.
        var label: String {
            switch self {
            case .signedIn: "opened"
            case .refused: "refused"
            case .limited: "limited"
            }
        }
    }

    /// Takes in the provider's answer, at the origin where the trip began.
    package func finish(
        _ id: String, _ parameters: FormParameters, browser: OpaqueSecret, at here: WebOrigin,
        replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> Outcome {
        let now = time.now()
        guard !parameters.hasRepeated, let provider = providers.first(where: { $0.id == id }),
            let state = parameters["state"], let trip = trip(state, browser: browser), trip.provider == id
        else { return try await refuse(.stale, errand: nil, origin: origin, at: now) }
        return try await inTrace(of: trip) {
            try await finish(
                trip, state: state, at: provider, parameters, at: here, replacing: current, origin: origin, now)
        }
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

    private func finish(
        _ trip: Trip, state: String, at provider: any UpstreamProvider, _ parameters: FormParameters,
        at here: WebOrigin, replacing current: WebSession?, origin: RequestOrigin, _ now: Timestamp
    ) async throws -> Outcome {
        do {
            guard let code = parameters["code"], parameters["error"] == nil else { throw UpstreamRefusal.declined }
            // One good `state` may come back with any number of made-up codes, and each costs a request of ours with
            // our credentials. So they are counted before the provider is asked, and what it does not answer stays
            // counted; a user it names takes nothing from their neighbours.
            let keys = limits.upstreamAnswerKeys(origin: origin)
            let decision = try await gate.take(keys, origin: origin, at: now)
            if let wait = decision.retryAfter { return .limited(retryAfter: wait, errand: trip.errand) }
            let user = try await provider.user(
                code: Secret(code), issuer: parameters["iss"],
                for: UpstreamRequest(
                    state: state, nonce: trip.nonce, verifier: trip.verifier,
                    redirectURI: Self.callback(of: trip.provider, at: here)), at: now)
            try? await gate.giveBack(keys, at: now)
            // An upstream that ignored what it was asked for must not pass for one that did it.
            guard !trip.isFresh || Self.isOfTrip(user, began: trip.began) else { throw UpstreamRefusal.notFresh }
            let account = try await account(of: user, at: now)
            guard account.disabledAt == nil,
                let opened = try await opener.open(
                    for: account.subject, authentication: Self.authentication(of: user, began: trip.began, at: now),
                    provenBy: .upstream(
                        UpstreamSession(
                            issuer: user.identity.issuer, subject: user.identity.subject, session: user.session)),
                    replacing: current, origin: origin, at: now)
            else {
                return try await refuse(
                    .userDisabled, of: account.subject, errand: trip.errand, origin: origin, at: now)
            }
            return .signedIn(opened, errand: trip.errand)
        } catch let refusal as UpstreamRefusal {
            return try await refuse(refusal, errand: trip.errand, origin: origin, at: now)
        }
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
        "\(origin)/sign-in/callback/\(id)"
    }

    /// The linked account; a new one at the first sign-in.
    private func account(of user: UpstreamUser, at now: Timestamp) async throws -> Account {
        if let known = try await accounts.account(linkedTo: user.identity) { return known }
        let account = Account(
            subject: Account.makeSubject(random: random), username: nil, displayName: user.name, email: user.email,
            createdAt: now)
        let event = AuditEvent(
            at: now, type: .userCreated, outcome: .success, reason: "upstream", subject: account.subject)
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

    /// A sign-in there during this trip has its time, but none before the trip and none to come, whatever the clock there
    /// says; an older one keeps its time, and one of which nothing is told has none: it may be of any age. Not the time of
    /// the way back: a browser may be left standing there for as long as a trip may take.
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
        user.authenticatedAt.map { $0 >= began - clockTolerance } ?? false
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

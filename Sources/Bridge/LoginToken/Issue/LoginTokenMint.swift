import OAuth2

/// An issue that every check has let pass (``LoginTokenIssuer``).
struct CheckedIssue: Sendable {
    let terms: LoginTokenTerms
    let bearer: BearerIdentity
    /// What the token is issued from.
    var session: IssuingSession
    /// Whether the bearer names a user for the first time.
    var isFirstSight: Bool
    let origin: RequestOrigin
    let at: Timestamp
    /// `nil` without an `Idempotency-Key`.
    var mark: RepeatMark?
    /// What else the audit log is told of it.
    var detail: String?
    /// What it came by, where no app asked for it by itself.
    var reason: String?
}

/// By what a repeat of a request is known: its `Idempotency-Key`, and what it asks for.
struct RepeatMark: Sendable {
    let keyDigest: String
    let fingerprint: String
}

/// Makes login tokens of issues that have been checked: signs each, writes it down, and answers with its link.
struct LoginTokenMint: Sendable {
    private let settings: LoginTokenSettings
    private let codec: LoginTokenCodec
    private let store: any LoginTokenStore
    private let subjects: Subjects
    private let random: RandomSource

    init(
        settings: LoginTokenSettings, codec: LoginTokenCodec, store: any LoginTokenStore, subjects: Subjects,
        random: RandomSource
    ) {
        self.settings = settings
        self.codec = codec
        self.store = store
        self.subjects = subjects
        self.random = random
    }

    /// What became of an issue that was to be written down.
    enum Outcome: Sendable {
        case issued(LoginTokenAnswer)
        /// Another one like it came at the same time, and was first (``answer(repeating:of:)``).
        case repeated(IdempotencyRecord)
        /// Its `Idempotency-Key` belongs to another request.
        case keyReused
        /// The user was to be new and is known by now: from what the token is issued has to be asked again.
        case userKnown
    }

    func issue(_ issue: CheckedIssue) async throws -> Outcome {
        let (terms, bearer, origin, now) = (issue.terms, issue.bearer, issue.origin, issue.at)
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
            at: now, type: .loginTokenIssued, outcome: .success, reason: issue.reason, subject: bearer.subject,
            clientID: bearer.clientID, targetClientID: terms.website.id, sessionID: bearer.sessionID,
            tokenID: claims.id, origin: origin, detail: issue.detail)
        let kept = issue.mark.map {
            IdempotencyRecord(
                keyDigest: $0.keyDigest, fingerprint: $0.fingerprint, tokenID: claims.id, keyID: signed.keyID,
                payload: signed.payload, expiresAt: claims.expiresAt)
        }
        let outcome = try await store.recordIssue(
            claims.issued, scope: issue.session.narrowedScope,
            namedFirstBy: issue.isFirstSight ? bearer.issuer : nil, idempotency: kept, event: event)
        if issue.isFirstSight { subjects.forget(bearer.subject) }
        switch outcome {
        case .recorded:
            // Before the answer leaves, so that no session is opened that says what was true before.
            try await subjects.takeGroups(of: bearer, origin: origin, at: now)
            return .issued(try answer(signed.token, claims, terms: terms, at: now))
        case .repeated(let record): return .repeated(record)
        case .keyReused: return .keyReused
        case .userKnown: return .userKnown
        }
    }

    /// The answer that an earlier issue got, once more.
    /// - Parameter issue: its repeat, whose bearer may say other groups, or be the first whose groups are taken in.
    func answer(repeating record: IdempotencyRecord, of issue: CheckedIssue) async throws -> LoginTokenAnswer {
        let now = issue.at
        guard let signed = try await codec.sign(again: record.payload, keyID: record.keyID, at: now) else {
            throw StorageError.unavailable("no login token key may sign now")
        }
        guard let claims = LoginTokenPayload.decode(Array(record.payload.utf8)) else {
            throw StorageError.corrupt("the payload kept with an Idempotency-Key is no login token's")
        }
        let answer = try answer(signed.token, claims, terms: issue.terms, at: now)
        try await subjects.takeGroups(of: issue.bearer, origin: issue.origin, at: now)
        return answer
    }

    /// - Throws: ``StorageError`` for a link that asks for a code which nobody can be told any more: nothing could open
    ///   it.
    private func answer(
        _ token: Secret<String>, _ claims: LoginTokenClaims, terms: LoginTokenTerms, at now: Timestamp
    ) throws -> LoginTokenAnswer {
        let typedCode = codec.typedCodes.code(of: claims, at: now)
        guard typedCode != nil || claims.binding.typedCodeKey == nil else {
            throw StorageError.unavailable("the key of a login token's code is not there any more")
        }
        let page = settings.page(of: terms.website, isHandOff: terms.isHandOff)
        var url = page.description + "?token=" + token.expose()
        if let target = terms.target { url += "&redirect=" + PercentEncoding.encode(target.serialized) }
        return LoginTokenAnswer(
            token: token, id: claims.id, expiresAt: claims.expiresAt,
            expiresIn: Int(terms.lifetime.inMilliseconds / 1000), loginURL: Secret(url),
            typedCode: typedCode)
    }
}

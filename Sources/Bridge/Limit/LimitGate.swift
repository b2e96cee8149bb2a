import OAuth2

/// Turns away callers over a limit: that is written down, and the answer says how long to wait (contract §12).
package struct LimitGate: Sendable {
    private let limiter: any RateLimiter
    private let refusals: RefusalLog

    package init(_ limiter: any RateLimiter, refusals: RefusalLog) {
        self.limiter = limiter
        self.refusals = refusals
    }

    /// Takes one of every key; a caller that does not get it is turned away.
    /// - Parameters:
    ///   - subject: whose limit it is, where that is known.
    ///   - client: the caller's, where that is known.
    /// - Throws: `OAuthError` with the code and the text when a limit was exceeded; ``StorageError`` when that cannot
    ///   be decided.
    func pass(
        _ keys: [RateLimitKey], of subject: Subject? = nil, client: ClientID? = nil, origin: RequestOrigin,
        at now: Timestamp, else code: ErrorCode, _ text: String? = nil
    ) async throws {
        let decision = try await take(keys, of: subject, client: client, origin: origin, at: now)
        try decision.check(else: code, text)
    }

    /// As ``RateLimiter/take(_:at:)``; a limit that was exceeded is written down.
    package func take(
        _ keys: [RateLimitKey], of subject: Subject? = nil, client: ClientID? = nil, origin: RequestOrigin,
        at now: Timestamp
    ) async throws -> RateLimitDecision {
        let decision = try await limiter.take(keys, at: now)
        try await record(decision, of: subject, client: client, origin: origin, at: now)
        return decision
    }

    /// As ``RateLimiter/peek(_:at:)``; a limit that was exceeded is written down.
    func peek(
        _ keys: [RateLimitKey], client: ClientID? = nil, origin: RequestOrigin, at now: Timestamp
    ) async throws -> RateLimitDecision {
        let decision = try await limiter.peek(keys, at: now)
        try await record(decision, of: nil, client: client, origin: origin, at: now)
        return decision
    }

    /// As ``RateLimiter/giveBack(_:at:)``, where that can be done: what was right is not refused because it stays
    /// counted, which its limit makes up for by and by.
    func giveBack(_ keys: [RateLimitKey], at now: Timestamp) async {
        try? await limiter.giveBack(keys, at: now)
    }

    /// Writes down a limit that was exceeded, for callers that ask a limiter at a moment when nothing may be written.
    func record(
        _ decision: RateLimitDecision, of subject: Subject?, client: ClientID?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        guard case .exceeded(_, let scope) = decision else { return }
        try await refusals.limitExceeded(scope: scope, subject: subject, clientID: client, origin: origin, at: now)
    }
}

extension RateLimitDecision {
    /// How long to wait; `nil` when the request may go on.
    var retryAfter: Duration? {
        guard case .exceeded(let wait, _) = self else { return nil }
        return wait
    }

    /// - Throws: an error that says how long to wait; its detail is the scope of the limit that was exceeded.
    func check(else code: ErrorCode, _ text: String? = nil) throws(OAuthError) {
        guard case .exceeded(let wait, let scope) = self else { return }
        throw OAuthError(code, text, detail: scope, retryAfter: wait.roundedUpSeconds)
    }
}

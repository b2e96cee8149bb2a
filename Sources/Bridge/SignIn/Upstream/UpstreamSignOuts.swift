package import OAuth2

/// Hears from upstream providers that users have signed out there (OpenID Connect Back-Channel Logout 1.0 §2.5 to
/// §2.8).
package final class UpstreamSignOuts: Sendable {
    private let providers: [any UpstreamProvider]
    private let sessions: any UpstreamSessionStore
    private let endings: SessionEndings
    private let refusals: RefusalLog
    private let time: TimeSource

    package init(
        providers: [any UpstreamProvider], sessions: any UpstreamSessionStore, endings: SessionEndings,
        refusals: RefusalLog, time: TimeSource
    ) {
        self.providers = providers
        self.sessions = sessions
        self.endings = endings
        self.refusals = refusals
        self.time = time
    }

    /// Ends what the provider says that its user has signed out of. That nothing is left of it is not an error (§2.8).
    /// - Parameter id: the provider's.
    /// - Throws: `not_found` for a provider that is not configured; `invalid_request` for a token that does not count;
    ///   `temporarily_unavailable` and ``StorageError`` when that cannot be decided, and then the same token may be
    ///   sent again.
    package func hear(_ form: FormParameters, from id: String, origin: RequestOrigin) async throws {
        guard let provider = providers.first(where: { $0.id == id }) else { throw OAuthError(.notFound) }
        let now = time.now()
        do {
            guard !form.hasRepeated, let text = form["logout_token"] else { throw LogoutTokenRefusal.missing }
            let token = try await provider.logoutToken(text, at: now)
            guard let ended = try await sessions.end(namedBy: token, Self.ending(origin: origin, at: now)) else {
                throw LogoutTokenRefusal.replayed
            }
            await endings.take(in: ended)
        } catch let refusal as LogoutTokenRefusal {
            try await refusals.logoutTokenRefused(refusal, from: id, origin: origin, at: now)
            guard refusal != .unknownKey else { throw OAuthError(.temporarilyUnavailable, detail: refusal.rawValue) }
            throw OAuthError(.invalidRequest, "the logout token does not count here", detail: refusal.rawValue)
        }
    }

    /// The user left the browser there: what was granted for longer goes on, as after a sign-out here (§2.7).
    private static func ending(origin: RequestOrigin, at now: Timestamp) -> Ending {
        Ending(at: now, reason: .upstreamSignedOut, origin: origin, extent: .signOut)
    }
}

extension RefusalLog {
    /// A logout token that was not taken; for each network sixty a minute are written, since anybody can send one.
    fileprivate func logoutTokenRefused(
        _ refusal: LogoutTokenRefusal, from provider: String, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        var detail = JSONObjectWriter()
        detail.add("provider", provider)
        try await record(
            AuditEvent(
                at: now, type: .logoutTokenRefused, outcome: .failure, reason: refusal.rawValue, origin: origin,
                detail: detail.finishedText()),
            within: .network("audit.logout_token", of: origin, perMinute: 60))
    }
}

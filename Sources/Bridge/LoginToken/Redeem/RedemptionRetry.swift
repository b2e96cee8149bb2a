import OAuth2

/// A redemption that a store could not confirm: it may have been made or not, so the same browser's next try must
/// neither be a replay nor open a second session (contract §4.3).
///
/// Carried by the browser, sealed: nothing in it is believed that this service did not put there.
struct RedemptionRetry: Sendable {
    let tokenID: TokenID
    /// The session that the attempt would have opened, or has.
    let sessionID: SessionID
    let secret: OpaqueSecret
    /// In the profile `tokens`.
    let refresh: OpaqueSecret?

    /// How long the browser may take.
    static let lifetime = Duration.seconds(60)

    init(_ opened: OpenedSession, tokenID: TokenID) {
        self.tokenID = tokenID
        sessionID = opened.session.id
        secret = opened.secret
        refresh = opened.refresh
    }

    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let token = members["token"]?.string,
            let session = members["session"]?.string,
            let secret = members["secret"]?.string.flatMap({ OpaqueSecret($0, kind: .webSession) })
        else { return nil }
        tokenID = TokenID(rawValue: token)
        sessionID = SessionID(rawValue: session)
        self.secret = secret
        refresh = members["refresh"]?.string.flatMap { OpaqueSecret($0, kind: .sessionRefresh) }
    }

    var text: [UInt8] {
        var object = JSONObjectWriter()
        object.add("token", tokenID.rawValue)
        object.add("session", sessionID.rawValue)
        object.add("secret", secret.expose())
        object.add("refresh", refresh?.expose())
        return object.finish()
    }
}

/// Thrown when it is not known whether a redemption was made.
package struct UndecidedRedemption: Error {
    /// What the browser brings back with its next try; see ``RedemptionRequest/retry``.
    package let retry: Secret<String>

    /// How long the browser may take.
    package static var retryLifetime: Duration { RedemptionRetry.lifetime }
}

extension LoginTokenRedeemer {
    /// The attempt of this browser with this token that could not be confirmed.
    /// - Parameter text: what the attempt left with the browser.
    func retry(_ text: String?, for claims: LoginTokenClaims) -> RedemptionRetry? {
        text.flatMap { retries.open($0) }.flatMap { RedemptionRetry($0) }.flatMap {
            $0.tokenID == claims.id ? $0 : nil
        }
    }

    /// What an attempt that could not be confirmed has opened; `nil` when it was not made.
    func opened(by retry: RedemptionRetry?) async throws -> OpenedSession? {
        guard let retry, case .redeemed(let use) = try await store.state(of: retry.tokenID)?.status,
            use.sessionID == retry.sessionID, let session = try await sessions.lookUp(retry.secret)
        else { return nil }
        var opened = OpenedSession(session: session, secret: retry.secret)
        opened.refresh = retry.refresh
        return opened
    }

    /// The same for a website's server, which carries nothing from one try to the next.
    func openedForServer(_ claims: LoginTokenClaims, at now: Timestamp) async throws -> OpenedSession? {
        guard let known = undecided.take(claims.id, at: now) else { return nil }
        do {
            guard case .redeemed(let use) = try await store.state(of: claims.id)?.status,
                use.sessionID == known.session.id, let stored = try await sessions.peek(known.session.id)
            else { return nil }
            return OpenedSession(session: stored, secret: known.secret)
        } catch let error as StorageError {
            undecided.remember(known, of: claims.id, at: now)
            throw error
        }
    }

    /// What tells the browser to try again, with the session that the answer would have given it.
    func unheard(_ opened: OpenedSession, of id: TokenID) throws -> UndecidedRedemption {
        let retry = RedemptionRetry(opened, tokenID: id)
        return UndecidedRedemption(retry: Secret(try retries.seal(retry.text, lifetime: RedemptionRetry.lifetime)))
    }

    /// Finishes the answer that takes a session to its browser. Where a store fails on the way, the browser's next try
    /// gets the session: it would be a replay otherwise.
    /// - Throws: ``UndecidedRedemption`` in the place of ``StorageError``.
    package func deliver<Answer>(
        _ opened: OpenedSession?, _ answer: () async throws -> Answer
    ) async throws -> Answer {
        guard let opened, let id = opened.session.loginTokenID else { return try await answer() }
        do { return try await answer() } catch is StorageError { throw try unheard(opened, of: id) }
    }

    /// The same for a website's server, whose next try is known by its token.
    func deliver<Answer>(
        _ session: WebSession, toServerAt now: Timestamp, _ answer: () async throws -> Answer
    ) async throws -> Answer {
        do { return try await answer() } catch let error as StorageError {
            if let id = session.loginTokenID {
                undecided.remember(
                    OpenedSession(session: session, secret: .make(.webSession, at: now, random: random)), of: id,
                    at: now)
            }
            throw error
        }
    }
}

import OAuth2

// What a session may see and end here. One that came over an edge may be in another person's hands than the user's, and
// is for the websites that its app may open (contract §16, §16.3): it knows and ends itself alone.
extension SignedInPlaces {
    /// How often one session may end everything else: three times, and once more every ten minutes.
    private static let endsOfOthers = TokenBucket(burst: 3, refillInterval: .seconds(600))

    /// For a sign-in of the person's own, everything of the user, this one first.
    package func listing(shownTo session: WebSession) async throws -> Listing {
        guard session.isOwnSignIn else { return Listing(places: [try await place(of: session)]) }
        return try await listing(of: session.subject, current: session)
    }

    /// Ends a place with what hangs below it.
    /// - Returns: whether the session may; for an unknown place, or one that has ended, nothing more happens.
    package func end(
        _ kind: Place.Kind, _ id: String, in session: WebSession, origin: RequestOrigin
    ) async throws -> Bool {
        let isItself = kind == .browser && session.id.rawValue.hasSameBytes(as: id)
        guard session.isOwnSignIn || isItself else { return false }
        _ = try await end(kind, id, of: session.subject, by: session.id, origin: origin)
        return true
    }

    /// Ends everything but the session.
    /// - Parameter here: further sessions in the same browser, which stay as well.
    /// - Returns: whether the session may.
    /// - Throws: `OAuthError(.rateLimited)` for a session that has done so several times just now: each end takes the
    ///   sign-ins that are under way, so a stolen session could keep its owner out by a loop. ``StorageError``.
    package func endOthers(
        in session: WebSession, sparing here: Set<SessionID> = [], origin: RequestOrigin
    ) async throws -> Bool {
        guard session.isOwnSignIn else { return false }
        try await gate.pass(
            [RateLimitKey(scope: "end_others.session", value: session.id.rawValue, bucket: Self.endsOfOthers)],
            of: session.subject, origin: origin, at: time.now(), else: .rateLimited,
            "everything else was ended several times just now")
        try await endOthers(than: session, sparing: here, origin: origin)
        return true
    }
}

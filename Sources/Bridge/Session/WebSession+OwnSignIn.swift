/// What only a person who signed in here may do (contract §16.2): administer, and change how he signs in.
extension WebSession {
    /// How long ago the sign-in may be of somebody who changes such a thing.
    package static let signInFreshness = Duration.seconds(15 * 60)

    /// Whether the person signed in with this very session, here.
    package var isOwnSignIn: Bool { lineage.isOwnSignIn }

    /// Whether it is such a sign-in, and a recent one.
    package func isFreshSignIn(at now: Timestamp) -> Bool {
        isOwnSignIn && authentication.isFresh(within: Self.signInFreshness, at: now)
    }
}

extension Authentication {
    /// Whether the user is known to have authenticated no longer ago than this.
    package func isFresh(within span: Duration, at now: Timestamp) -> Bool { time.map { now - $0 <= span } ?? false }
}

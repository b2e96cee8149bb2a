package import OAuth2

/// Remembers what is known of users for a moment: resource servers ask for the same few users again and again.
///
/// A change by this process is seen at once, one by another within a second (contract §7).
package struct RememberedUserClaims: UserClaimsSource {
    private let source: any UserClaimsSource
    private let cache: ShortLivedCache<Subject, [String: JSONValue]>

    package init(_ source: any UserClaimsSource, time: TimeSource = .system) {
        self.source = source
        cache = ShortLivedCache(time: time)
    }

    package func claims(of subject: Subject) async throws -> [String: JSONValue] {
        try await cache.value(for: subject) { try await source.claims(of: subject) }
    }

    /// Has the next look-up ask the source, after a change of our own.
    package func forget(_ subject: Subject) { cache.forget(subject) }
}

/// Remembers what an authenticator found, so that a busy app's token is verified once.
package struct CachedBearerAuthenticator: BearerAuthenticator {
    private let verifier: any BearerAuthenticator
    private let cache: BearerCache

    package init(_ verifier: any BearerAuthenticator, cache: BearerCache = BearerCache()) {
        self.verifier = verifier
        self.cache = cache
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        let key = BearerCache.Key(token)
        if let known = cache.identity(for: key, at: now) { return known }
        let generation = cache.generation
        let identity = try await verifier.authenticate(token, at: now)
        cache.insert(identity, for: key, verifiedIn: generation, at: now)
        return identity
    }

    /// Forgets everything; call it when keys or issuers were changed.
    package func reload() { cache.removeAll() }
}

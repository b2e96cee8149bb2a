import Bridge
import Logging
import OAuth2

/// A JWK set over HTTP: kept, renewed from time to time, and renewed early when a token names a key it lacks.
final class RemoteKeySet: KeySource {
    private let document: RemoteDocument<KeySet>

    /// - Parameter load: fetches the set, in bounded time.
    init(
        issuer: String, limits: FetchLimits, logger: Logger, load: @escaping @Sendable () async throws -> KeySet
    ) {
        document = RemoteDocument(limits: limits, load: load) { error in
            logger.warning(
                "an issuer's keys could not be fetched", metadata: ["issuer": "\(issuer)", "error": "\(error)"])
        }
    }

    func keys(keyID: String?, algorithm: SignatureAlgorithm, at now: Timestamp) async throws -> [IssuerKey] {
        func candidates(_ set: KeySet) -> [IssuerKey] { set.candidates(keyID: keyID, algorithm: algorithm) }
        guard let set = await document.content(at: now, where: { !candidates($0).isEmpty }) else {
            throw StorageError.unavailable("the issuer's keys cannot be fetched")
        }
        return candidates(set)
    }

    func reload() { document.forget() }
}

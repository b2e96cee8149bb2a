package import Bridge
package import Logging
package import OAuth2
import Synchronization

/// The keys of clients: from their documents, or fetched from `jwks_uri` and remembered for a minute,
/// and half a minute more while the address does not answer.
///
/// An assertion is forged by whoever likes, and is not known to be until the keys are there: however many come, an
/// address is asked once within the floor, also while it does not answer.
package final class RemoteClientKeys: ClientKeySource {
    /// While the address cannot be reached a key is believed for no longer than until it may be asked once more: it may
    /// have been withdrawn, but one lost connection keeps no client out.
    private static let limits: FetchLimits = {
        var limits = FetchLimits()
        limits.staleLifetime = limits.refreshInterval + limits.refetchFloor
        return limits
    }()
    /// Addresses that are remembered; beyond that all are forgotten. Administrators choose them.
    private static let capacity = 10_000

    private let connection = IssuerConnection(limits: RemoteClientKeys.limits)
    private let registered = RegisteredClientKeys()
    private let documents = Mutex<[String: RemoteDocument<[VerificationKey]>]>([:])
    private let logger: Logger
    private let time: TimeSource
    private let start: ContinuousClock.Instant

    package init(logger: Logger, time: TimeSource = .system) {
        self.logger = logger
        self.time = time
        start = time.uptime()
    }

    package func keys(of client: Client) async throws -> [VerificationKey] {
        guard let document = document(of: client) else { return registered.keys(of: client) }
        guard let keys = await document.content(at: now, where: { _ in true }) else {
            throw StorageError.unavailable("a client's keys cannot be fetched")
        }
        return keys
    }

    package func mustFetchKeys(of client: Client) -> Bool { document(of: client)?.isAtHand(at: now) == false }

    /// By the clock that nobody sets: one that is set back must not keep a withdrawn key in use.
    private var now: Timestamp { Timestamp(milliseconds: start.duration(to: time.uptime()).inMilliseconds) }

    private func document(of client: Client) -> RemoteDocument<[VerificationKey]>? {
        guard let uri = client.keysURI, let url = EndpointURL(uri) else { return nil }
        return documents.withLock { documents in
            if let document = documents[uri] { return document }
            if documents.count >= Self.capacity { documents.removeAll() }
            let document = RemoteDocument<[VerificationKey]>(limits: Self.limits) { [connection] in
                // A page of a proxy in front says nothing of the keys, as a lost connection does.
                guard let set = JSONValue.parse(try await connection.get(url)), set.object?["keys"]?.array != nil else {
                    throw KeySetError.notAKeySet
                }
                return Array(VerificationKey.all(inSet: set).prefix(RemoteClientKeys.limits.maximumKeys))
            } onFailure: { [logger] error in
                // Not the whole address: its query may be a secret between the two.
                logger.warning(
                    "A client's keys could not be fetched", metadata: ["origin": "\(url.origin)", "error": "\(error)"])
            }
            documents[uri] = document
            return document
        }
    }
}

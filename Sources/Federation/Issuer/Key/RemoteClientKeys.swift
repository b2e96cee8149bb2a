package import Bridge
package import Logging
package import OAuth2
import Synchronization

/// The keys of clients: from their documents, or fetched from `jwks_uri` and remembered for a minute,
/// and half a minute more while the address does not answer. An assertion with a `kid` that is not among theirs has
/// them fetched again (OpenID Connect Core §10.1.1).
///
/// Anyone can forge an assertion, and it is not known to be forged until the keys are there: however many come, an
/// address is asked once within the floor, also while it does not answer. Inside the floor an unknown `kid` cannot be
/// judged, unless the keys were fetched after it had been heard of.
package final class RemoteClientKeys: ClientKeySource {
    private static let limits: FetchLimits = {
        var limits = FetchLimits()
        // A client that has changed its key waits for no longer.
        limits.refetchFloor = .seconds(5)
        // While the address cannot be reached a key may have been withdrawn, but one lost connection keeps no client
        // out.
        limits.staleLifetime = limits.refreshInterval + .seconds(30)
        return limits
    }()
    /// Addresses that are remembered; beyond that all are forgotten. Administrators choose them.
    private static let capacity = 10_000

    private let connection = IssuerConnection(limits: RemoteClientKeys.limits)
    private let registered = RegisteredClientKeys()
    private let addresses = Mutex<[String: ClientKeyAddress]>([:])
    private let logger: Logger
    /// By the monotonic clock: one that is set back must not keep a withdrawn key in use.
    private let now: @Sendable () -> Timestamp

    package init(logger: Logger, time: TimeSource) {
        self.logger = logger
        let start = time.uptime()
        now = { Timestamp(milliseconds: start.duration(to: time.uptime()).inMilliseconds) }
    }

    package func keys(of client: Client, keyID: String?) async throws -> [VerificationKey] {
        guard let address = address(of: client) else { return registered.keys(of: client, keyID: keyID) }
        let now = self.now()
        guard let found = await address.document.content(at: now, where: { $0.mayHave(keyID) }) else {
            throw StorageError.unavailable("a client's keys cannot be fetched")
        }
        if let keyID, !found.mayHave(keyID), found.askedAt < address.missed.note(keyID, at: now) {
            throw StorageError.unavailable("a client's keys cannot be fetched again so soon")
        }
        return found.keys
    }

    package func mustFetchKeys(of client: Client, keyID: String?) -> Bool {
        address(of: client)?.document.isAtHand(at: now(), where: { $0.mayHave(keyID) }) == false
    }

    private func address(of client: Client) -> ClientKeyAddress? {
        guard let uri = client.keysURI, let url = EndpointURL(uri) else { return nil }
        return addresses.withLock { addresses in
            if let address = addresses[uri] { return address }
            if addresses.count >= Self.capacity { addresses.removeAll() }
            let document = RemoteDocument<FetchedClientKeys>(limits: Self.limits) { [connection, now] in
                let askedAt = now()
                // A page of a proxy in front says nothing of the keys, as a lost connection does.
                guard let set = JSONValue.parse(try await connection.get(url)), set.object?["keys"]?.array != nil else {
                    throw KeySetError.notAKeySet
                }
                let keys = Array(VerificationKey.all(inSet: set).prefix(RemoteClientKeys.limits.maximumKeys))
                return FetchedClientKeys(keys: keys, askedAt: askedAt)
            } onFailure: { [logger] error in
                // Not the whole address: its query may be a secret between the two.
                logger.warning(
                    "a client's keys could not be fetched", metadata: ["origin": "\(url.origin)", "error": "\(error)"])
            }
            let address = ClientKeyAddress(document: document)
            addresses[uri] = address
            return address
        }
    }
}

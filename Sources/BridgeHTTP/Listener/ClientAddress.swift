import Bridge
import HTTPTypes

/// Finds the client's address behind proxies.
struct ClientAddress: Sendable {
    let trustedProxies: [NetworkPrefix]
    /// Whether a peer on a Unix domain socket counts as a trusted proxy; the socket's file mode says who can be one.
    let trustsLocalSocket: Bool

    func isTrusted(_ peer: NetworkAddress?) -> Bool {
        guard let peer else { return trustsLocalSocket }
        return trustedProxies.contains { $0.contains(peer) }
    }

    /// The right-most address of `X-Forwarded-For` that is not a trusted proxy's (RFC 7239 §5.2 reads the same way).
    ///
    /// Everything left of it was written by somebody whom we do not trust. A malformed entry ends the walk: the last
    /// address known to be good stands.
    func resolve(peer: NetworkAddress?, headers: HTTPFields) -> NetworkAddress? {
        guard isTrusted(peer) else { return peer }
        var client = peer
        for field in headers.values(of: .xForwardedFor).reversed() {
            for entry in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                guard let address = NetworkAddress(entry.filter { $0 != " " && $0 != "\t" }) else { return client }
                client = address
                if !isTrusted(address) { return address }
            }
        }
        return client
    }
}

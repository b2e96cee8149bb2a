import Bridge
import HTTPTypes
import OAuth2

/// Finds the client's address behind proxies.
struct ClientAddress: Sendable {
    /// What the walk through the proxies ended at.
    struct Found: Hashable, Sendable {
        let address: NetworkAddress?
        /// Whether a trusted proxy wrote something else than an address: then the proxy itself stands for its visitors.
        let isProxyUnreadable: Bool
    }

    let trustedProxies: [NetworkPrefix]
    /// Whether a request that came over no IP connection is believed about its client: one in process, in tests.
    let trustsPeersWithoutAddress: Bool

    func isTrusted(_ peer: NetworkAddress?) -> Bool {
        guard let peer else { return trustsPeersWithoutAddress }
        return trustedProxies.contains { $0.contains(peer) }
    }

    /// The right-most address of `X-Forwarded-For` that is not a trusted proxy's (RFC 7239 §5.2 reads the same way).
    ///
    /// Everything left of it was written by somebody whom we do not trust. A malformed entry ends the walk: the last
    /// address known to be good stands. `Forwarded` is not read: whoever sets the one field may pass on the other as a
    /// visitor wrote it.
    func resolve(peer: NetworkAddress?, headers: HTTPFields) -> Found {
        guard isTrusted(peer) else { return Found(address: peer, isProxyUnreadable: false) }
        var client = peer
        for field in headers.values(of: .xForwardedFor).reversed() {
            for entry in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                guard let address = Self.address(of: entry) else {
                    return Found(address: client, isProxyUnreadable: true)
                }
                client = address
                if !isTrusted(address) { return Found(address: address, isProxyUnreadable: false) }
            }
        }
        return Found(address: client, isProxyUnreadable: false)
    }

    /// An entry's address. Some proxies add the port that the connection came from, after brackets where it is IPv6
    /// (RFC 7239 §6).
    private static func address(of entry: Substring) -> NetworkAddress? {
        let text: String = entry.filter { $0 != " " && $0 != "\t" }
        if let address = NetworkAddress(text) { return address }
        let isBracketed = text.first == "["
        guard let end = isBracketed ? text.firstIndex(of: "]") : text.firstIndex(of: ":") else { return nil }
        let host = isBracketed ? text[..<end].dropFirst() : text[..<end]
        let rest = isBracketed ? text[end...].dropFirst() : text[end...]
        // A colon is what brackets are for: around IPv4 they mean nothing.
        guard host.contains(":") == isBracketed, rest.isEmpty || isPort(rest) else { return nil }
        return NetworkAddress(String(host))
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        return text.first == ":" && digits.utf8.count <= 5 && digits.utf8.allSatisfy(ASCII.isDigit)
            && (UInt16(digits) ?? 0) > 0
    }
}

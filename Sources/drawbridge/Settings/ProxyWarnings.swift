import Bridge

/// Networks of `trusted_proxies` that hold more than an operator's own proxies.
struct ProxyWarnings {
    /// One sentence for each.
    let sentences: [String]

    /// Nobody's on the internet, and so wide only because everybody takes a part of their own (RFC 4193 §3).
    private static let uniqueLocal = NetworkPrefix("fc00::/7")

    init(in settings: DrawbridgeSettings) {
        sentences = settings.listeners.trustedProxies.filter(Self.isWide).map { network in
            "\(ListenerSettings.trustedProxies.key.name) has \(network): whoever is in it says in X-Forwarded-For where "
                + "they come from, and is believed by the limits, the audit log and the users who look at their "
                + "sessions. Name the addresses of your proxies, or the network that they alone are in."
        }
    }

    /// As wide as 10.0.0.0/8 a network may be an operator's own, and such parts of IPv6 are given to nobody.
    private static func isWide(_ network: NetworkPrefix) -> Bool {
        switch network.family {
        case .v4: network.bits < 8
        case .v6: network.bits < 16 && uniqueLocal?.contains(network) != true
        }
    }
}

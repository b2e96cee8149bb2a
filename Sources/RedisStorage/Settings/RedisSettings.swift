package import Bridge

/// How to reach Redis.
package struct RedisSettings: Sendable {
    package enum Topology: Hashable, Sendable {
        case standalone
        /// The addresses are those of sentinels, which know where the master is.
        case sentinel(master: String)
        /// The addresses are those of some nodes, which know all others.
        case cluster
    }

    package var addresses: [RedisAddress]
    package var topology: Topology = .standalone
    package var credentials: RedisCredentials?
    /// What sentinels are asked with, when they ask for it.
    package var sentinelCredentials: RedisCredentials?
    package var database = 0
    package var tls: RedisTLS?
    /// Shown by `CLIENT LIST`.
    package var clientName = "drawbridge"
    package var limits = RedisLimits()

    package init(addresses: [RedisAddress]) { self.addresses = addresses }
}

package struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// From `host:port`, as `MOVED` names it; the host of an IPv6 address has colons and no brackets there.
    init?(hostAndPort text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        self.init(host: String(text[..<colon]), port: port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A user of Redis's access list; without a name it is the default user.
package struct RedisCredentials: Sendable {
    package let user: String?
    package let password: Secret<String>

    package init(user: String?, password: Secret<String>) {
        self.user = user
        self.password = password
    }

    var command: RedisCommand { RedisCommand(["AUTH"] + (user.map { [$0] } ?? []) + [password.expose()]) }
}

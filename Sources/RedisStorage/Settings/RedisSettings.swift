package import Bridge
import ClientTLS
package import NIOCore
import NIOSSL

/// How to reach Redis.
package struct RedisSettings: Sendable {
    /// How the servers stand to each other, and so how the one to write to is found.
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

/// A Redis server's host and port, as settings, sentinels and clusters name it.
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

/// What one connection may cost.
package struct RedisLimits: Sendable {
    package var connectTimeout: TimeAmount = .seconds(1)
    /// Contract §4.3 asks for an answer; the outage rules give one when Redis takes longer than this.
    package var commandTimeout: TimeAmount = .milliseconds(250)
    /// How long after its deadline a reply may still come before the connection is given up.
    package var stallTime: TimeAmount = .seconds(2)
    /// Requests waiting or unanswered; more are refused at once. A quarter of a second at 40 000 requests a second.
    package var outstandingRequests = 10_000
    /// The largest reply. The slot map of a thousand nodes is about 100 KB.
    package var replyBytes = 1 << 20
    package var shortestBackoff: Duration = .milliseconds(50)
    package var longestBackoff: Duration = .seconds(5)

    package init() {}
}

/// The TLS side of a connection to Redis.
package struct RedisTLS: Sendable {
    let context: NIOSSLContext

    /// Reads the files.
    /// - Parameters:
    ///   - authorityPath: PEM file of whom to trust instead of the system's authorities.
    ///   - certificatePath: PEM file with our own certificate and its chain, for servers that ask for one.
    ///   - keyPath: its private key.
    ///   - checksHostname: whether the certificate must name the host. The chain is checked in any case.
    /// - Throws: when a file cannot be read or does not fit.
    package init(
        authorityPath: String? = nil, certificatePath: String? = nil, keyPath: String? = nil,
        checksHostname: Bool = true
    ) throws {
        let configuration = try OutboundTLS.configuration(
            authorityPath: authorityPath, certificatePath: certificatePath, keyPath: keyPath,
            checksHostname: checksHostname)
        context = try NIOSSLContext(configuration: configuration)
    }

    func makeHandler(for address: RedisAddress) throws -> NIOSSLClientHandler {
        try OutboundTLS.makeHandler(context, host: address.host, port: address.port)
    }
}

import NIOCore
import NIOPosix

/// Opens connections and introduces us on them.
struct RedisConnector: Sendable {
    let settings: RedisSettings
    let group: any EventLoopGroup
    /// Where names are looked up; `nil` for the system's way.
    var resolver: (any Resolver & Sendable)?

    /// A connection to a server that serves our commands.
    func connect(
        to address: RedisAddress, receiveMessage: (@Sendable ([RedisReply]) -> Void)? = nil
    ) async throws -> RedisConnection {
        var greeting: [RedisCommand] = []
        if let credentials = settings.credentials { greeting.append(credentials.command) }
        if settings.database != 0 { greeting.append(RedisCommand("SELECT", "\(settings.database)")) }
        greeting.append(RedisCommand("CLIENT", "SETNAME", settings.clientName))
        return try await open(address, greeting: greeting, receiveMessage: receiveMessage)
    }

    /// A connection to a sentinel, which has no databases and its own users.
    func connectToSentinel(at address: RedisAddress) async throws -> RedisConnection {
        let greeting = settings.sentinelCredentials.map { [$0.command] } ?? []
        return try await open(address, greeting: greeting, receiveMessage: nil)
    }

    private func open(
        _ address: RedisAddress, greeting: [RedisCommand], receiveMessage: (@Sendable ([RedisReply]) -> Void)?
    ) async throws -> RedisConnection {
        let limits = settings.limits
        let tls = settings.tls
        let (channel, outbox) = try await ClientBootstrap(group: group)
            .connectTimeout(limits.connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .resolver(resolver)
            .connect(host: address.host, port: address.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    // One for each: the addresses of a name are tried at the same time (RFC 8305), and those that lose
                    // end theirs.
                    let outbox = RedisOutbox(limit: limits.outstandingRequests)
                    if let tls { try channel.pipeline.syncOperations.addHandler(tls.makeHandler(for: address)) }
                    try channel.pipeline.syncOperations.addHandler(
                        RedisChannelHandler(outbox: outbox, limits: limits, receiveMessage: receiveMessage))
                    return (channel, outbox)
                }
            }
        let connection = RedisConnection(channel: channel, outbox: outbox, limits: limits)
        do {
            // The TLS handshake happens under it, so it has as much time as connecting has.
            try check(try await connection.send(greeting, timeout: limits.connectTimeout), of: greeting)
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    private func check(_ replies: [RedisReply], of greeting: [RedisCommand]) throws {
        for (reply, command) in zip(replies, greeting) {
            guard let error = reply.serverError else { continue }
            // Our name is a courtesy that an access list may forbid; the rest of the greeting is not.
            if command.arguments[0] == "CLIENT", error.code == "NOPERM" { continue }
            throw RedisConnectionError.refused(error)
        }
    }
}

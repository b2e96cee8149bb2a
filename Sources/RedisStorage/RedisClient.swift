import Bridge
package import Logging
package import NIOCore

/// Redis in any of its three forms, for all callers of a process.
///
/// Every failure is thrown as ``StorageError/unavailable(_:because:)``: refused, slow, read-only, full or gone, Redis cannot
/// decide. A caller whose task is cancelled gets `CancellationError`, which says nothing of Redis. What it refuses with an
/// error reply is given back as one.
package final class RedisClient: Sendable {
    private enum Route {
        case line(RedisLine)
        case cluster(RedisCluster)
    }

    let connector: RedisConnector
    let logger: Logger
    private let sentinels: RedisSentinels?
    private let route: Route

    /// Starts to connect at once; a server that is away does not keep anything from starting.
    package init(
        settings: RedisSettings, group: any EventLoopGroup, logger: Logger = Logger(label: "drawbridge.redis")
    ) {
        let connector = RedisConnector(settings: settings, group: group)
        self.connector = connector
        self.logger = logger
        switch settings.topology {
        case .cluster:
            sentinels = nil
            route = .cluster(RedisCluster(connector: connector, logger: logger))
        case .sentinel(let master):
            let sentinels = RedisSentinels(connector: connector, master: master)
            self.sentinels = sentinels
            route = .line(
                RedisLine(name: master, limits: settings.limits, eventLoop: group.any(), logger: logger) {
                    try await sentinels.connectToMaster()
                })
        case .standalone:
            sentinels = nil
            route = .line(
                RedisLine(name: "standalone", limits: settings.limits, eventLoop: group.any(), logger: logger) {
                    try await connector.connectToFirst()
                })
        }
    }

    /// Returns when it is known whether Redis can be reached; commands sent before are refused.
    package func waitForFirstAttempt() async {
        switch route {
        case .line(let line): await line.waitForFirstAttempt()
        // A failure is logged by its line, and the next command tries again.
        case .cluster(let cluster): try? await cluster.refresh()
        }
    }

    /// Sends commands together, each about one key at most, and gives their replies in order.
    package func send(_ commands: [RedisCommand]) async throws -> [RedisReply] {
        do {
            switch route {
            case .line(let line): return try await line.send(commands)
            case .cluster(let cluster): return try await cluster.send(commands)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw StorageError.redis(error)
        }
    }

    /// Whether Redis answers now; what `/readyz` asks.
    package func checkAvailable() async throws {
        if let error = try await send([RedisCommand("PING")])[0].serverError {
            throw StorageError.redis(RedisConnectionError.refused(error))
        }
    }

    /// Closes every connection. Must be called, or they are kept up for ever.
    package func close() async {
        switch route {
        case .line(let line): await line.close()
        case .cluster(let cluster): await cluster.close()
        }
    }

    /// A connection of its own to a server that passes messages on, for a subscription.
    func connectForMessages(_ receive: @escaping @Sendable ([RedisReply]) -> Void) async throws -> RedisConnection {
        switch route {
        case .cluster(let cluster):
            return try await connector.connect(to: try await cluster.anyAddress(), receiveMessage: receive)
        case .line:
            if let sentinels { return try await sentinels.connectToMaster(receiveMessage: receive) }
            return try await connector.connectToFirst(receiveMessage: receive)
        }
    }
}

extension RedisConnector {
    /// The first of the addresses that answers.
    fileprivate func connectToFirst(
        receiveMessage: (@Sendable ([RedisReply]) -> Void)? = nil
    ) async throws -> RedisConnection {
        var lastError: any Error = RedisConnectionError.notConnected
        for address in settings.addresses {
            do { return try await connect(to: address, receiveMessage: receiveMessage) } catch { lastError = error }
        }
        throw lastError
    }
}

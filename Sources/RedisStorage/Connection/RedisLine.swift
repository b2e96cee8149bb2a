import Bridge
import Logging
import NIOCore
import Synchronization

/// A connection that is kept: opened again, with growing pauses, whenever it ends.
///
/// While there is none, commands are refused at once; their senders have something else to fall back on.
final class RedisLine: Sendable {
    private struct State {
        var connection: RedisConnection?
        /// Why there is none, as far as that is known.
        var lastError: RedisConnectionError?
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let name: String
    private let limits: RedisLimits
    private let logger: Logger
    private let connect: @Sendable () async throws -> RedisConnection
    private let firstAttempt: EventLoopPromise<Void>
    private let state = Mutex(State())

    /// Starts at once.
    /// - Parameter connect: finds the server and opens one connection to it.
    init(
        name: String, limits: RedisLimits, eventLoop: any EventLoop, logger: Logger,
        connect: @escaping @Sendable () async throws -> RedisConnection
    ) {
        self.name = name
        self.limits = limits
        self.logger = logger
        self.connect = connect
        firstAttempt = eventLoop.makePromise()
        let task = Task { await keepConnected() }
        state.withLock { $0.task = task }
    }

    var isConnected: Bool { state.withLock { $0.connection != nil } }

    /// Returns when the first attempt to connect has succeeded or failed.
    func waitForFirstAttempt() async {
        // The promise is never failed.
        _ = try? await firstAttempt.futureResult.get()
    }

    func send(_ commands: [RedisCommand]) async throws -> [RedisReply] {
        let (held, lastError) = state.withLock { ($0.connection, $0.lastError) }
        guard let connection = held else { throw lastError ?? RedisConnectionError.notConnected }
        let replies = try await connection.send(commands)
        // It was the master and no longer is: find the new one.
        if replies.contains(where: { $0.serverError?.isReadOnly ?? false }) { connection.close() }
        return replies
    }

    /// Ends the connection for good. Must be called, or the line is kept up for ever.
    func close() async {
        let (task, connection) = state.withLock { state in
            state.isClosed = true
            return (state.task, state.connection)
        }
        task?.cancel()
        connection?.close()
        await task?.value
    }

    private func keepConnected() async {
        var backoff = Backoff(first: limits.shortestBackoff, ceiling: limits.longestBackoff)
        var isFirst = true
        var wasLogged = false
        while !Task.isCancelled {
            do {
                let connection = try await connect()
                let isClosed = state.withLock { state in
                    state.lastError = nil
                    if !state.isClosed { state.connection = connection }
                    return state.isClosed
                }
                if isClosed { connection.close() }
                if isFirst || wasLogged { logger.info("connected to Redis", metadata: ["line": "\(name)"]) }
                wasLogged = false
                if isFirst { firstAttempt.succeed() }
                isFirst = false
                let openedAt = ContinuousClock.now
                await connection.waitUntilClosed()
                state.withLock { $0.connection = nil }
                // One that ended at once, as behind a proxy without a server, is a failure too.
                if ContinuousClock.now - openedAt > limits.longestBackoff { backoff.reset() }
            } catch {
                // The socket's own errors all mean that no server answers.
                state.withLock { $0.lastError = error as? RedisConnectionError }
                // Once per outage, not once per attempt.
                if !wasLogged {
                    logger.warning(
                        "no connection to Redis", metadata: ["line": "\(name)", "error": "\(Self.reason(error))"])
                }
                wasLogged = true
                if isFirst { firstAttempt.succeed() }
                isFirst = false
            }
            try? await Task.sleep(for: backoff.next())
        }
        if isFirst { firstAttempt.succeed() }
    }

    /// Errors of the socket and of TLS name addresses and certificates, never what was sent.
    private static func reason(_ error: any Error) -> String {
        if case .refused(let refusal)? = error as? RedisConnectionError { return "\(refusal)" }
        return "\(error)"
    }
}

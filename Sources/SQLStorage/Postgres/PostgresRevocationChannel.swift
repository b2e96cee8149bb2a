package import Bridge
import Foundation
package import Logging
import Synchronization

/// Hears from PostgreSQL (`LISTEN`) of the sessions that any node ended and of keys that it changed, right after the
/// commit that did so.
///
/// A connection and a thread of its own. After a loss it reconnects; what was sent meanwhile is found by the poll.
package struct PostgresRevocationChannel: RevocationChannel {
    private let address: PostgresAddress
    private let written: WrittenDatabase?
    private let logger: Logger

    /// How long a cancelled listener's thread may go on, and how often a lost connection is tried again.
    private static let pulse = Duration.milliseconds(500)

    /// - Parameter storage: what this process has open at the address: who listens to another server than it writes to
    ///   hears nothing.
    package init(
        _ address: PostgresAddress, beside storage: (any BridgeStorage)? = nil,
        logger: Logger = .storage
    ) {
        self.address = address
        written = ((storage as? DurableStorage)?.engine as? PostgresEngine)?.written
        self.logger = logger
    }

    /// Nothing to do: the storage sends the message after the commit that ends a session (``SQLDialect``).
    package func publish(_ ids: [SessionID]) {}

    /// As ``publish(_:)``.
    package func publishKeyChange() {}

    package func listen(_ receive: @escaping @Sendable (RevocationNews) -> Void) async {
        let isStopped = StopSign()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let thread = Thread { [address, written, logger] in
                    let session = PostgresSession(
                        address: address, applicationName: "drawbridge listener", timeouts: .service, written: written,
                        logger: logger
                    ) { session in
                        guard !session.isPooled else { throw NotHeardThroughPooler() }
                        _ = try session.run("LISTEN drawbridge_session_end")
                        receive(.gap)
                    }
                    while !isStopped.isUp, Self.listen(on: session, receive) {}
                    if !isStopped.isUp {
                        logger.notice(
                            "behind a pooler nothing is told of what ended elsewhere; it is asked for twice a second")
                    }
                    while !isStopped.isUp { Self.rest() }
                    session.disconnect()
                    continuation.resume()
                }
                thread.name = "drawbridge-listen"
                thread.start()
            }
        } onCancel: {
            isStopped.raise()
        }
    }

    /// - Returns: whether it makes sense to go on.
    private static func listen(on session: PostgresSession, _ receive: (RevocationNews) -> Void) -> Bool {
        do {
            try session.connect()
            for text in try session.notifications(waiting: pulse) {
                for part in text.split(separator: ",") { receive(RevocationNews(text: String(part))) }
            }
        } catch is NotHeardThroughPooler {
            return false
        } catch {
            // The session has logged it.
            rest()
        }
        return true
    }

    /// This thread is ours alone, so it may sleep.
    private static func rest() { Thread.sleep(forTimeInterval: 0.5) }
}

/// A connection through a pooler is held only for a transaction: a listener on it hears nothing, or what is meant for
/// others.
private struct NotHeardThroughPooler: Error {}

/// Tells a thread to end.
private final class StopSign: Sendable {
    private let state = Mutex(false)
    var isUp: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
}

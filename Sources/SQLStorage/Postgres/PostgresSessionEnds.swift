package import Bridge
import Foundation
package import Logging
import Synchronization

/// Hears from PostgreSQL (`LISTEN`) of the sessions that any node ended, at the commit that ended them.
///
/// A connection and a thread of its own. After a loss it reconnects; what was sent meanwhile is lost, and found by the
/// poll.
package struct PostgresSessionEnds: SessionEndFeed {
    private let address: PostgresAddress
    private let logger: Logger

    /// How long a cancelled reader's thread may go on listening, and how often a lost connection is tried again.
    private static let pulse = Duration.milliseconds(500)

    package init(_ address: PostgresAddress, logger: Logger = Logger(label: "drawbridge.storage")) {
        self.address = address
        self.logger = logger
    }

    package func sessionEnds() -> AsyncStream<SessionID> {
        AsyncStream(bufferingPolicy: .bufferingNewest(10_000)) { continuation in
            let listening = Listening()
            continuation.onTermination = { _ in listening.stop() }
            let thread = Thread { [address, logger] in
                let session = PostgresSession(
                    address: address, applicationName: "drawbridge listener", timeouts: .service, logger: logger
                ) { session in _ = try session.run("LISTEN drawbridge_session_end") }
                while listening.goesOn {
                    Self.listen(on: session) { continuation.yield($0) }
                }
                session.disconnect()
            }
            thread.name = "drawbridge-listen"
            thread.start()
        }
    }

    private static func listen(on session: PostgresSession, _ tell: (SessionID) -> Void) {
        do {
            try session.connect()
            for text in try session.notifications(waiting: pulse) {
                for id in text.split(separator: ",") { tell(SessionID(rawValue: String(id))) }
            }
        } catch {
            // The session has logged it. This thread is ours alone, so it may sleep.
            Thread.sleep(forTimeInterval: 0.5)
        }
    }
}

/// Whether anybody still listens.
private final class Listening: Sendable {
    private let isStopped = Mutex(false)
    var goesOn: Bool { isStopped.withLock { !$0 } }
    func stop() { isStopped.withLock { $0 = true } }
}

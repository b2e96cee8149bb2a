import HummingbirdCore
import NIOCore
import Synchronization

/// A connection that was accepted, until it is served.
///
/// What is accepted while the listener closes is handed to nobody: the server no longer takes it, and NIO ends the process
/// when a `NIOAsyncChannel` goes away unserved. Then this one has it served all the same, which ends soon, since
/// ``LastRequestHandler`` knows that the server stops.
final class AcceptedConnection: ServerChildChannelValue {
    typealias Connection = HTTP1Channel.Value

    private let connection: Connection
    private let answer: @Sendable (Connection) async -> Void
    private let isServed = Atomic(false)

    var channel: any Channel { connection.channel }

    /// - Parameter answer: answers what comes on the connection until it is closed.
    init(_ connection: Connection, answer: @escaping @Sendable (Connection) async -> Void) {
        self.connection = connection
        self.answer = answer
    }

    /// Returns when the connection is closed.
    func serve() async {
        isServed.store(true, ordering: .relaxed)
        await answer(connection)
    }

    deinit {
        guard !isServed.load(ordering: .relaxed) else { return }
        Task { [connection, answer] in await answer(connection) }
    }
}

import Bridge
import NIOCore

/// The other end of a connection, which may have gone before its request comes to be answered.
///
/// A node that stood still finds requests in its sockets that nobody waits for any more, each with the end of its
/// connection behind it (ADR-0087).
final class ConnectedPeer: Sendable {
    /// That of the connection that is served; `nil` where there is none, as for a request that comes by no socket.
    @TaskLocal static var current: ConnectedPeer?

    private let eventLoop: any EventLoop
    /// What is known of its going without asking the loop; for the write that the request comes to.
    let caller = WaitingCaller()

    /// - Parameter eventLoop: the connection's.
    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// It has closed the connection, or its own direction of it.
    func leave() { caller.leave() }

    /// Whether it has left, as far as the system knew when this was asked.
    ///
    /// A request is answered while its event loop may still be about to read the end behind it. A loop whose turn it is
    /// again has read what there was to its end.
    func hasLeft() async -> Bool {
        do {
            return try await eventLoop.submit { self.caller.hasLeft }.get()
        } catch {
            // The loop has ended, and its connections with it.
            return true
        }
    }
}

import Bridge
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection to a syslog receiver.
///
/// Syslog acknowledges nothing. What can be known is known: bytes count as delivered when the receiver's system has
/// acknowledged them, and the forwarder lets them settle on a living connection before it relies on them.
struct SyslogConnection: AuditForwardConnection {
    let channel: any Channel
    let watcher: SyslogReceiverWatcher
    let message: SyslogMessage
    let settling: Duration

    /// For one delivery: a receiver that takes nothing for so long is dropped.
    private static let timeout = TimeAmount.seconds(30)
    private static let firstLook = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(50)

    func deliver(_ items: [AuditForwardItem]) async throws {
        var bytes: [UInt8] = []
        for item in items { message.appendFrame(of: item, to: &bytes) }
        let buffer = channel.allocator.buffer(bytes: bytes)
        let deadline = channel.eventLoop.scheduleTask(in: Self.timeout) { [channel, watcher] in
            watcher.note("the receiver takes nothing")
            channel.close(promise: nil)
        }
        defer { deadline.cancel() }
        try await withTaskCancellationHandler {
            do {
                try await channel.writeAndFlush(buffer).get()
                try await waitUntilTaken()
            } catch let error as CancellationError {
                throw error
            } catch {
                watcher.note("\(error)")
                throw watcher.failure
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    func check() throws {
        guard channel.isActive else { throw watcher.failure }
    }

    func close() async { try? await channel.close().get() }

    /// Until the other side's system has acknowledged every byte.
    private func waitUntilTaken() async throws {
        #if os(Linux)
            guard let socket = channel as? any SocketOptionProvider else { return }
            var pause = Self.firstLook
            while true {
                try check()
                let state = try await socket.getTCPInfo().get()
                // A closed window is probed: nothing is unacknowledged then, because nothing may be sent.
                if state.tcpi_unacked == 0, state.tcpi_probes == 0, state.tcpi_retransmits == 0 { return }
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            }
        #endif
    }
}

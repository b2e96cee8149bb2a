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
    /// How it waits between two looks at what is still here.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// A receiver that takes nothing for so long is dropped.
    private static let timeout = TimeAmount.seconds(30)
    private static let firstLook = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(50)

    func deliver(_ items: [AuditForwardItem]) async throws {
        var bytes: [UInt8] = []
        for item in items { message.appendFrame(of: item, to: &bytes) }
        let buffer = channel.allocator.buffer(bytes: bytes)
        try await withTaskCancellationHandler {
            do {
                try await write(buffer)
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

    private func write(_ buffer: ByteBuffer) async throws {
        let deadline = dropLater()
        defer { deadline.cancel() }
        try await channel.writeAndFlush(buffer).get()
    }

    private func dropLater() -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: Self.timeout) { [channel, watcher] in
            watcher.note("the receiver takes nothing")
            channel.close(promise: nil)
        }
    }

    /// Until the other side's system has acknowledged every byte, however slowly it takes them.
    private func waitUntilTaken() async throws {
        #if os(Linux)
            var wait = Self.firstLook
            var least = Int.max
            var deadline = dropLater()
            defer { deadline.cancel() }
            while true {
                try check()
                guard let left = try await bytesLeftHere(), left > 0 else { return }
                if left < least {
                    least = left
                    deadline.cancel()
                    deadline = dropLater()
                }
                try await pause(wait)
                wait = min(wait * 2, Self.longestPause)
            }
        #endif
    }

    #if os(Linux)
        /// What the receiver's system has not acknowledged, sent or not. The fields of `tcp_info` do not tell: while a
        /// receiver hangs with a closed window, what waits here is unsent, and each answered probe sets their count to
        /// zero.
        /// - Returns: bytes; `nil` where the channel is not a socket.
        private func bytesLeftHere() async throws -> Int? {
            try await channel.eventLoop.submit { [channel] () throws -> Int? in
                try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                    descriptor -> Int in
                    var bytes: CInt = 0
                    // For a socket this is SIOCOUTQ (tcp(7)).
                    guard ioctl(descriptor, UInt(TIOCOUTQ), &bytes) == 0 else {
                        throw IOError(errnoCode: errno, reason: "ioctl(SIOCOUTQ)")
                    }
                    return Int(bytes)
                }
            }.get()
        }
    #endif
}

import NIOCore

/// One connection that all callers share. Their commands are pipelined: no caller waits for another's reply to send.
final class RedisConnection: Sendable {
    private let channel: any Channel
    private let outbox: RedisOutbox
    private let limits: RedisLimits

    init(channel: any Channel, outbox: RedisOutbox, limits: RedisLimits) {
        self.channel = channel
        self.outbox = outbox
        self.limits = limits
    }

    /// Sends commands in one write and waits for all their replies. Refusals of the server are replies.
    /// - Parameter timeout: another time than usual, for the first commands only: deadlines must come in order.
    /// - Throws: ``RedisConnectionError``, or `CancellationError`; the server may have run the commands all the same.
    func send(_ commands: [RedisCommand], timeout: TimeAmount? = nil) async throws -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let request = RedisRequest(commands, deadline: .now() + (timeout ?? limits.commandTimeout))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard request.wait(continuation) else { return }
                switch outbox.offer(request) {
                case .queued: break
                case .queuedFirst: channel.eventLoop.execute { self.writeWaiting() }
                case .refused(let error): request.fail(error)
                }
            }
        } onCancel: {
            request.fail(CancellationError())
        }
    }

    func close() { channel.close(promise: nil) }

    /// Returns when the connection is gone.
    func waitUntilClosed() async {
        // The future of a close never fails.
        _ = try? await channel.closeFuture.get()
    }

    private func writeWaiting() {
        let requests = outbox.takeWaiting()
        guard !requests.isEmpty else { return }
        channel.writeAndFlush(requests, promise: nil)
    }
}

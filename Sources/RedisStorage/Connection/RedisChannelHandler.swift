import NIOCore

/// Matches replies with requests, in order, and ends what takes too long. Lives on its channel's event loop.
final class RedisChannelHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = [RedisRequest]
    typealias OutboundOut = ByteBuffer

    private let outbox: RedisOutbox
    private let reader: RedisReplyReader
    private let limits: RedisLimits
    /// Takes messages of a subscription; `nil` where none may come.
    private let receiveMessage: (@Sendable ([RedisReply]) -> Void)?
    private var unanswered = CircularBuffer<RedisRequest>()
    /// How many of `unanswered`, from the front, are past their deadline.
    private var lateCount = 0
    private var isDead = false
    private var timer: Scheduled<Void>?

    init(
        outbox: RedisOutbox, limits: RedisLimits, receiveMessage: (@Sendable ([RedisReply]) -> Void)?
    ) throws(RedisConnectionError) {
        self.outbox = outbox
        self.limits = limits
        self.receiveMessage = receiveMessage
        reader = try RedisReplyReader(byteLimit: limits.replyBytes)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let requests = unwrapOutboundIn(data)
        guard !isDead else {
            for request in requests { request.fail(RedisConnectionError.closed) }
            promise?.fail(RedisConnectionError.closed)
            return
        }
        var bytes = ByteBuffer()
        for request in requests {
            // No caller waits for it any more and nothing of it has been sent.
            guard !request.isEnded else {
                outbox.settle()
                continue
            }
            unanswered.append(request)
            if bytes.readableBytes == 0 { bytes = request.bytes } else { bytes.writeImmutableBuffer(request.bytes) }
        }
        startTimer(context)
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDead else { return }
        do throws(RedisConnectionError) {
            try reader.feed(unwrapInboundIn(data))
            while !isDead, let reply = try reader.next() { try deliver(reply, context) }
        } catch {
            end(error, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.closed, context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.closed, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(.closed, context)
    }

    private func deliver(_ reply: RedisReply, _ context: ChannelHandlerContext) throws(RedisConnectionError) {
        if let receiveMessage, let elements = reply.elements, elements.first?.text == "message" {
            receiveMessage(elements)
            return
        }
        guard let request = unanswered.first else { throw .unexpectedReply }
        guard request.receive(reply) else { return }
        unanswered.removeFirst()
        outbox.settle()
        guard lateCount > 0 else { return }
        lateCount -= 1
        guard lateCount == 0 else { return }
        outbox.setStalled(false)
        // The timer waits for the end of the stall, which is later than the next deadline.
        timer?.cancel()
        timer = nil
        startTimer(context)
    }

    /// One timer a connection, for the request that is due first: all have the same time, so they fall due in order.
    private func startTimer(_ context: ChannelHandlerContext) {
        guard timer == nil, !isDead, let first = unanswered.first else { return }
        let due =
            unanswered.count > lateCount
            ? unanswered[unanswered.index(unanswered.startIndex, offsetBy: lateCount)].deadline
            : first.deadline + limits.stallTime
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.timer = nil
            self.sweep(context)
        }
    }

    private func sweep(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        while lateCount < unanswered.count {
            let request = unanswered[unanswered.index(unanswered.startIndex, offsetBy: lateCount)]
            guard request.deadline <= now else { break }
            lateCount += 1
            outbox.setStalled(true)
            request.fail(RedisConnectionError.timedOut)
        }
        if lateCount > 0, let first = unanswered.first, first.deadline + limits.stallTime <= now {
            end(.timedOut, context)
        }
        startTimer(context)
    }

    private func end(_ error: RedisConnectionError, _ context: ChannelHandlerContext) {
        guard !isDead else { return }
        // Before any caller is resumed: what it sends next must meet a connection that knows it is dead.
        isDead = true
        timer?.cancel()
        timer = nil
        let waiting = outbox.die()
        let requests = unanswered
        unanswered = []
        for request in requests { request.fail(error) }
        for request in waiting { request.fail(error) }
        context.close(promise: nil)
    }
}

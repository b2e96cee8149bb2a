import NIOCore
import NIOHTTP1

/// Closes a connection whose peer takes next to nothing of its answers.
///
/// The server waits without an end for a peer to read what it asked for, and counts the connection as busy: whoever asks
/// and never reads would hold one of those that are served at once. An answer of which nothing waits to be sent, such as
/// a stream of events in a quiet hour, never starts the clock.
final class UnreadAnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the peer has to take in that time at least, in bytes, where neither an answer ends nor its next piece is asked
    /// for meanwhile.
    private static let leastProgress = 16_384

    private let timeout: TimeAmount
    /// Answers whose end the system has not taken yet.
    private var unwritten = 0
    private var deadline: Scheduled<Void>?
    /// How many bytes waited when the clock began.
    private var waiting = 0

    /// - Parameter timeout: how long the peer may take next to nothing. The system's own buffer hides for a while what a
    ///   slow one takes, so it is not short.
    init(timeout: TimeAmount) {
        self.timeout = timeout
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        unwritten += 1
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.unwritten -= 1
            self.beginAgain(context)
        }
        context.write(data, promise: written)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        begin(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        beginAgain(context)
        begin(context)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    /// Starts the clock where something waits to be sent, and it does not run yet.
    private func begin(_ context: ChannelHandlerContext) {
        guard deadline == nil, context.channel.isActive, unwritten > 0 || !context.channel.isWritable else { return }
        waiting = Self.waitingBytes(of: context.channel)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { self.judge(context) }
    }

    private func judge(_ context: ChannelHandlerContext) {
        deadline = nil
        guard waiting - Self.waitingBytes(of: context.channel) >= Self.leastProgress else {
            return context.close(promise: nil)
        }
        begin(context)
    }

    private static func waitingBytes(of channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// The peer took something.
    private func beginAgain(_ context: ChannelHandlerContext) {
        guard deadline != nil else { return }
        stop()
        begin(context)
    }

    private func stop() {
        deadline?.cancel()
        deadline = nil
    }
}

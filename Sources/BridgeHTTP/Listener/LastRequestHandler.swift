import NIOCore
import NIOHTTP1

/// Lets a connection that is kept alive end with an answer when the server stops.
///
/// A proxy may send its next request on an idle connection in the moment in which the server closes it, and may not send a
/// POST a second time (RFC 9110, section 9.2.2): its visitor would see 502. So from then on answers say `Connection: close`
/// (RFC 9112, section 9.6), and what is idle may bring one more request for a moment. New connections are refused by then,
/// so that a proxy asks another node.
final class LastRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let patience: TimeAmount
    private var isStopping = false
    private var deadline: Scheduled<Void>?

    /// - Parameter patience: how long an idle connection may still bring a request.
    init(patience: TimeAmount) {
        self.patience = patience
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        guard !isStopping else { return }
        isStopping = true
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { self.closeWhenAnswered(context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isStopping, case .head(var head) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        closeWhenAnswered(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        forgetDeadline()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        forgetDeadline()
    }

    /// What follows in the pipeline closes at once when no request is in progress, else after the answer.
    private func closeWhenAnswered(_ context: ChannelHandlerContext) {
        forgetDeadline()
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    private func forgetDeadline() {
        deadline?.cancel()
        deadline = nil
    }
}

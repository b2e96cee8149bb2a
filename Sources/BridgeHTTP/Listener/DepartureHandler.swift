import NIOCore

/// Notes when the peer closes its connection, or its own direction of it: the server goes on with what it was asked,
/// and finds out when it writes, if at all.
final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let peer: ConnectedPeer

    /// - Parameter peer: told of it.
    init(_ peer: ConnectedPeer) {
        self.peer = peer
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { peer.leave() }
        context.fireUserInboundEventTriggered(event)
    }

    /// The connection was reset, or closed by the server itself.
    func channelInactive(context: ChannelHandlerContext) {
        peer.leave()
        context.fireChannelInactive()
    }
}

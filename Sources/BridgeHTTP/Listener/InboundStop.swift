import NIOCore

/// In front of the parser: drops what comes after a request after which the parser reads nothing, and which it would keep
/// in memory.
final class InboundStop: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    var dropsEverything = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !dropsEverything else { return }
        context.fireChannelRead(data)
    }
}

import NIOCore

/// In front of the parser: drops what comes after the last request of a connection. The parser would read on, or keep it
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

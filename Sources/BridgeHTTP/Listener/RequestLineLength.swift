import NIOCore

/// Measures the line that a request begins with: the parser says of a header that is too long no more than that.
///
/// Of requests that are sent together the first one's line is measured whole; what another's arrived with is missed.
final class RequestLineLength: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: Int
    private var length = 0
    private var isInLine = true

    /// Whether the request's target alone is more than the parser takes.
    var isTooLong: Bool { length > limit }

    /// - Parameter limit: the parser's own, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Another request begins.
    func begin() {
        length = 0
        isInLine = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isInLine { measure(unwrapInboundIn(data).readableBytesView) }
        context.fireChannelRead(data)
    }

    private func measure(_ bytes: ByteBufferView) {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        // Empty lines before a request are passed over (RFC 9112 §2.2).
        let line = length > 0 ? bytes : bytes.drop { $0 == lineFeed || $0 == carriageReturn }
        guard let end = line.firstIndex(of: lineFeed) else {
            length += line.count
            return
        }
        length += end - line.startIndex
        isInLine = false
    }
}

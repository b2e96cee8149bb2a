import NIOCore
import NIOHTTP1

/// Ends answers as their requests demand; the server itself takes each for a `GET` of HTTP/1.1.
///
/// * A connection that is not kept (RFC 9112, section 9.3) is ended by the server, which looks for the plain word
///   `close` alone, and the answer says so. HTTP/1.0 has one answer a connection: the `keep-alive` that its clients may
///   ask for needs not be honoured, and cannot be where an answer has no length. A client that asks before a body that is
///   too long may send it or leave it out (RFC 9110, section 10.1.1): of a connection that was kept its next request would
///   be taken for the body.
/// * HTTP/1.0 knows no chunks (section 6.1): an answer without a length lasts until its connection ends.
/// * An answer to `HEAD` has no content (section 6.3), so not the chunk either that ends one without a length.
final class AnswerFramingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What of a request decides about its answer.
    private struct Demand {
        let isAboutHead: Bool
        let takesChunks: Bool
        let keepsConnection: Bool

        init(_ head: HTTPRequestHead, longestBody: Int) {
            isAboutHead = head.method == .HEAD
            takesChunks = head.version == .http1_1
            keepsConnection = takesChunks && head.isKeepAlive && !head.waitsInVain(beyond: longestBody)
        }
    }

    private let longestBody: Int
    /// Those of the requests whose answers have not ended, in their order.
    private var demands = CircularBuffer<Demand>()

    /// - Parameter longestBody: what a route may take at most, in bytes.
    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let demand = Demand(head, longestBody: longestBody)
        demands.append(demand)
        guard !demand.keepsConnection else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let demand = demands.first else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        // One that is informational is not an answer yet (RFC 9110 §15.2).
        case .head(var head) where head.status.code >= 200 && !demand.keepsConnection:
            head.headers.replaceOrAdd(name: "connection", value: "close")
            if !demand.takesChunks, !head.headers.contains(name: "content-length") { head.version = .http1_0 }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            demands.removeFirst()
            guard demand.isAboutHead else { return context.write(data, promise: promise) }
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: promise)
        case .head, .body: context.write(data, promise: promise)
        }
    }
}

import NIOCore
import NIOHTTP1

/// Ends answers as their requests demand; the server itself takes each for a `GET` of HTTP/1.1.
///
/// * A connection that is not kept (RFC 9112, section 9.3) is ended by the server, which looks for the plain word
///   `close` alone, and the answer says so. HTTP/1.0 has one answer a connection: the `keep-alive` that its clients may
///   ask for needs not be honoured, and cannot be where an answer has no length. A client that asks before a body that is
///   too long may send it or leave it out (RFC 9110, section 10.1.1): of a connection that was kept its next request would
///   be taken for the body. One that asks for another protocol gets an answer in this one (RFC 9110, section 7.8), and
///   what it sends after that is neither read nor answered by the server's parser.
/// * What comes after the last request of a connection is dropped (section 9.6). The server would count it as a request in
///   progress, which is never answered, and its timer closes no connection that has one.
/// * After the last answer a peer has ``patience`` to end the connection, and is waited for no longer. One that still
///   reads what the system holds of it then may lose the rest, if it has sent more: the system resets the connection.
/// * Nothing comes after a request that is malformed, so the answer to it, or to the one before it, is the last.
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
            keepsConnection =
                takesChunks && head.isKeepAlive && !head.waitsInVain(beyond: longestBody) && !head.stopsTheParser
        }
    }

    /// Closed at once, a connection whose peer still sends would be reset, and the answer lost with it.
    static let patience = TimeAmount.seconds(3)

    private let longestBody: Int
    private let stop: InboundStop
    /// Whether nothing is read after the request that is coming in.
    private var isLast = false
    /// Whether an answer has said that the connection ends.
    private var hasSaidClose = false
    /// Whether the parser has given up.
    private var isBroken = false
    private var deadline: Scheduled<Void>?
    /// Those of the requests whose answers have not ended, in their order.
    private var demands = CircularBuffer<Demand>()

    /// - Parameters:
    ///   - longestBody: what a route may take at most, in bytes.
    ///   - stop: in front of the parser.
    init(longestBody: Int, stop: InboundStop) {
        self.longestBody = longestBody
        self.stop = stop
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The parser may have more of them in its hands.
        guard !stop.dropsEverything else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): read(head, data, context)
        case .body: context.fireChannelRead(data)
        case .end:
            if isLast { stop.dropsEverything = true }
            context.fireChannelRead(data)
        }
    }

    private func read(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
        let demand = Demand(head, longestBody: longestBody)
        demands.append(demand)
        isLast = !demand.keepsConnection
        guard !demand.keepsConnection else { return context.fireChannelRead(data) }
        var ending = head
        ending.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(ending)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        // One that is informational is not an answer yet (RFC 9110 §15.2).
        case .head(var head) where head.status.code >= 200:
            if let demand = demands.first, !demand.keepsConnection {
                head.headers.replaceOrAdd(name: "connection", value: "close")
                if !demand.takesChunks, !head.headers.contains(name: "content-length") { head.version = .http1_0 }
            }
            hasSaidClose = hasSaidClose || !head.isKeepAlive
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            let isAboutHead = demands.popFirst()?.isAboutHead ?? false
            let isOver = hasSaidClose || isBroken && demands.isEmpty
            context.write(
                isAboutHead ? wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))) : data,
                promise: isOver ? closing(context, after: promise) : promise)
        case .head, .body: context.write(data, promise: promise)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isBroken = isBroken || error is HTTPParserError
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        forgetDeadline()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { forgetDeadline() }

    /// - Parameter promise: what the writer of the last answer's end waits for.
    /// - Returns: what to write it with.
    private func closing(
        _ context: ChannelHandlerContext, after promise: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void> {
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.assumeIsolated().whenSuccess { _ in
            self.stop.dropsEverything = true
            guard self.deadline == nil else { return }
            self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) {
                context.close(promise: nil)
            }
        }
        return written
    }

    private func forgetDeadline() {
        deadline?.cancel()
        deadline = nil
    }
}

extension HTTPRequestHead {
    /// Whether the parser reads nothing after this request: what follows would be kept in memory for a protocol that is
    /// never spoken here. The parser looks at `Connection`, or `Proxy-Connection`, too.
    fileprivate var stopsTheParser: Bool {
        method == .CONNECT || headers.contains(name: "upgrade")
    }
}

import NIOCore
import NIOHTTP1

/// Tells a client that asks before it sends a body, by `Expect: 100-continue`, to go on (RFC 9110 §10.1.1). Other
/// expectations are passed over.
///
/// A body that is longer than any route takes is refused by its declared length, so that its client gets the refusal at
/// once and need not send it. The connection ends with it: whether the body comes all the same, nobody can know.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let longestBody: Int
    /// Requests whose answers have not ended.
    private var unanswered = 0
    /// Whether the last of them is held back until we say something.
    private var isWaiting = false

    /// - Parameter longestBody: what a route may take at most, in bytes.
    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            isWaiting = head.waitsToSend(upTo: longestBody)
        // It did not wait.
        case .body, .end: isWaiting = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        tellToGoOn(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        // Its own answer, or the last one of the connection.
        case .head(let head) where head.status.code >= 200 && (unanswered == 1 || !head.isKeepAlive):
            isWaiting = false
            context.write(data, promise: promise)
        case .head, .body: context.write(data, promise: promise)
        case .end:
            unanswered -= 1
            context.write(data, promise: promise)
            tellToGoOn(context)
        }
    }

    /// Not before the answers to earlier requests, which the client would take this for a part of.
    private func tellToGoOn(_ context: ChannelHandlerContext) {
        guard isWaiting, unanswered == 1 else { return }
        isWaiting = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }
}

extension HTTPRequestHead {
    /// Whether the client may hold back its body for an answer. One of HTTP/1.0 knows none that is informational.
    private var asksBeforeBody: Bool {
        version == .http1_1 && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether it may hold back a body of at most so many bytes.
    fileprivate func waitsToSend(upTo limit: Int) -> Bool {
        guard asksBeforeBody else { return false }
        guard let length = headers.first(name: "content-length") else {
            return headers.contains(name: "transfer-encoding")
        }
        return Int(length).map { (1...limit).contains($0) } ?? false
    }

    /// Whether it may hold back a body of more bytes than that, so that none is asked for.
    func waitsInVain(beyond limit: Int) -> Bool {
        guard asksBeforeBody, let length = headers.first(name: "content-length") else { return false }
        return Int(length).map { $0 > limit } ?? true
    }
}

import NIOCore
import NIOHTTP1

/// Answers one connection of the browser: the exact address of the redirect, and nothing else.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let inbox: LoopbackInbox
    private var head: HTTPRequestHead?

    init(_ inbox: LoopbackInbox) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard let address = address(head, context) else { return write(.nothingHere, head, context) }
        switch inbox.receive(address) {
        case .notOurs: write(.nothingHere, head, context)
        case .finished: write(.finished, head, context, then: address)
        case .unfinished: write(.unfinished, head, context, then: address)
        }
    }

    /// The whole address that the browser opened, when it is the redirect's.
    private func address(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> String? {
        // Another name in `Host` is a page that had its own name point to us (DNS rebinding).
        guard head.method == .GET, head.uri.prefix(while: { $0 != "?" }) == inbox.path,
            let port = context.localAddress?.port, let host = head.headers["Host"].first,
            head.headers["Host"].count == 1,
            LoopbackFamily.allCases.contains(where: { host == "\($0.addressHost):\(port)" })
        else { return nil }
        return "http://\(host)\(head.uri)"
    }

    private func write(
        _ page: LoopbackPage, _ request: HTTPRequestHead, _ context: ChannelHandlerContext, then address: String? = nil
    ) {
        let html = page.html(in: LoopbackLanguage(accepting: request.headers["Accept-Language"].first))
        var headers = HTTPHeaders(LoopbackPage.headers)
        headers.add(name: "Content-Length", value: "\(html.utf8.count)")
        headers.add(name: "Connection", value: "close")
        let isFound = page != .nothingHere
        let head = HTTPResponseHead(version: .http1_1, status: isFound ? .ok : .notFound, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: html)))), promise: nil)
        let inbox = inbox
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if let address { inbox.deliver(address) }
            channel.close(promise: nil)
        }
    }
}

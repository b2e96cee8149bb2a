import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BridgeHTTP

/// What a stop leaves of connections that are kept alive (RFC 9112, section 9.6).
@Suite struct LastRequestTests {
    /// Counts what reaches the part of the pipeline that closes.
    private final class Closer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        var asked = 0

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is ChannelShouldQuiesceEvent { asked += 1 }
        }
    }

    private let channel = EmbeddedChannel()
    private let closer = Closer()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([LastRequestHandler(patience: .seconds(1)), closer])
    }

    private func answer() throws -> HTTPHeaders {
        try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        guard case .head(let head) = try channel.readOutbound(as: HTTPServerResponsePart.self) else { return [:] }
        _ = try channel.readOutbound(as: HTTPServerResponsePart.self)
        return head.headers
    }

    private func stop() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    @Test func `before the stop no answer says that the connection ends`() throws {
        #expect(try answer() == [:])
        #expect(closer.asked == 0)
    }

    @Test func `an idle connection may bring a request for a moment, and no longer`() {
        stop()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(closer.asked == 0)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(closer.asked == 1)
    }

    @Test func `the answer after the stop is the last one and says so`() throws {
        stop()
        #expect(try answer() == ["connection": "close"])
        #expect(closer.asked == 1)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(closer.asked == 1)
    }

    @Test func `an answer that began before the stop does not end the connection by itself`() throws {
        try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        stop()
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        #expect(closer.asked == 0)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(closer.asked == 1)
    }
}

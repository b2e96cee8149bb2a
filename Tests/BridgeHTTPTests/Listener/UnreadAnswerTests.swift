import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BridgeHTTP

/// How long a connection waits for its peer to read.
@Suite struct UnreadAnswerTests {
    private let channel = EmbeddedChannel()

    init() throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        try channel.pipeline.syncOperations.addHandler(UnreadAnswerHandler(timeout: .seconds(10)))
    }

    private func write(_ parts: HTTPServerResponsePart...) {
        for part in parts { channel.write(part, promise: nil) }
    }

    private let head = HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok))

    private func wait(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    @Test func `an answer that was sent leaves its connection open`() {
        write(head, .end(nil))
        channel.flush()
        wait(60)
        #expect(channel.isActive)
    }

    @Test func `a connection that takes nothing of an answer is closed in time`() {
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        wait(9)
        #expect(channel.isActive)
        wait(1)
        #expect(!channel.isActive)
    }

    @Test func `whoever reads slowly gets the time again with all that is taken`() {
        for _ in 0..<5 {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            wait(9)
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        wait(60)
        #expect(channel.isActive)
    }

    @Test func `within one long answer whoever takes some of it gets the time again, and a drop is not enough`() throws
    {
        try channel.pipeline.syncOperations.addHandler(HTTPResponseEncoder(), position: .first)
        channel.isWritable = false
        func add(_ length: Int) throws {
            write(head, .body(.byteBuffer(ByteBuffer(repeating: 0, count: length))))
        }
        try add(20_000)
        channel.pipeline.fireChannelWritabilityChanged()
        channel.flush()
        wait(10)
        #expect(channel.isActive, "20,000 bytes went")
        try add(1)
        wait(10)
        #expect(!channel.isActive)
    }

    @Test func `a stream that has nothing to say waits as long as it likes`() {
        write(head)
        channel.flush()
        wait(3600)
        #expect(channel.isActive)
    }

    @Test func `the end of an answer that the system does not take is waited for no longer, however short it is`()
        throws
    {
        let holding = HoldingHandler()
        try channel.pipeline.syncOperations.addHandler(holding, position: .first)
        write(head, .end(nil))
        channel.flush()
        wait(9)
        #expect(channel.isActive)
        holding.release()
        write(head, .end(nil))
        channel.flush()
        wait(9)
        #expect(channel.isActive)
        wait(1)
        #expect(!channel.isActive)
    }
}

/// A peer whose buffers are full.
private final class HoldingHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart

    private var held: [EventLoopPromise<Void>?] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) { held.append(promise) }

    func flush(context: ChannelHandlerContext) {}

    func release() {
        for promise in held { promise?.succeed(()) }
        held = []
    }
}

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BridgeHTTP

/// Where an answer ends, and its connection with it (RFC 9112, sections 6 and 9.3).
@Suite struct AnswerFramingTests {
    private let channel = EmbeddedChannel()
    private let stop = InboundStop()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), AnswerFramingHandler(longestBody: 100, stop: stop),
        ])
    }

    /// - Returns: what the server is told of the connection.
    @discardableResult
    private func ask(
        _ method: HTTPMethod, _ version: HTTPVersion = .http1_1, connection: String? = nil, upgrade: String? = nil
    ) throws -> String? {
        var head = HTTPRequestHead(version: version, method: method, uri: "/")
        if let upgrade { head.headers.add(name: "Upgrade", value: upgrade) }
        if let connection { head.headers.add(name: "Connection", value: connection) }
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        guard case .head(let told) = try channel.readInbound(as: HTTPServerRequestPart.self) else { return nil }
        return told.headers.first(name: "connection")
    }

    /// - Returns: what goes over the wire.
    private func answer(_ headers: HTTPHeaders = [:], _ body: String = "") throws -> String {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        try channel.writeOutbound(HTTPServerResponsePart.head(head))
        if !body.isEmpty {
            try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body))))
        }
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        var sent = ""
        while case .byteBuffer(let piece) = try channel.readOutbound(as: IOData.self) { sent += String(buffer: piece) }
        return sent
    }

    @Test func `what HTTP/1.1 asks for in the usual way is answered as it is`() throws {
        #expect(try ask(.GET) == nil)
        #expect(try answer(["content-length": "1"], "a") == "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na")
        #expect(try ask(.GET, connection: "keep-alive") == "keep-alive")
        #expect(try answer([:], "a") == "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
    }

    @Test func `an answer to HEAD has no last chunk, and the next one is whole`() throws {
        try ask(.HEAD)
        try ask(.GET)
        #expect(try answer() == "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        #expect(try answer([:], "a").hasSuffix("\r\n\r\n1\r\na\r\n0\r\n\r\n"))
    }

    @Test(arguments: [nil, "keep-alive", "close"])
    func `HTTP/1.0 has one answer a connection, and no chunks`(connection: String?) throws {
        #expect(try ask(.GET, .http1_0, connection: connection) == "close")
        #expect(try answer([:], "a") == "HTTP/1.0 200 OK\r\nconnection: close\r\n\r\na")
        let another = try AnswerFramingTests()
        try another.ask(.GET, .http1_0, connection: connection)
        #expect(
            try another.answer(["content-length": "1"], "a")
                == "HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\na")
    }

    @Test(arguments: ["close", "Close", "TE, close", "close, keep-alive"])
    func `close among other words ends the connection of HTTP/1.1 too`(connection: String) throws {
        #expect(try ask(.GET, connection: connection) == "close")
        #expect(
            try answer([:], "a")
                == "HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
    }

    static let stoppers: [(HTTPMethod, String?, String?)] = [
        (.GET, "Upgrade", "h2c"), (.POST, "Upgrade, HTTP2-Settings", "h2c"), (.GET, nil, "websocket"),
        (.CONNECT, nil, nil),
    ]

    @Test(arguments: stoppers)
    func `a request after which the parser reads nothing is the last of its connection`(
        method: HTTPMethod, connection: String?, upgrade: String?
    ) throws {
        #expect(try ask(method, connection: connection, upgrade: upgrade) == "close")
        #expect(!stop.dropsEverything, "its body comes yet")
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        #expect(stop.dropsEverything)
        #expect(try answer([:], "a").hasPrefix("HTTP/1.1 200 OK\r\nconnection: close\r\n"))
    }

    @Test func `what comes after such a request reaches the parser no more`() throws {
        let channel = EmbeddedChannel()
        let parser = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([stop, CountingHandler(), parser, AnswerFramingHandler(longestBody: 100, stop: stop)])
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        try channel.writeInbound(
            ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"))
        for _ in 0..<5 { try channel.writeInbound(ByteBuffer(string: "x")) }
        #expect(try pipeline.handler(type: CountingHandler.self).count == 2)
    }

    static let last = [
        "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n"
            + String(repeating: "a", count: 101),
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n",
    ]

    @Test(arguments: last)
    func `what comes with the last request of a connection, or after it, is no request any more`(request: String) throws
    {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            stop, ByteToMessageHandler(HTTPRequestDecoder()), AnswerFramingHandler(longestBody: 100, stop: stop),
        ])
        let another = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        for piece in [request + another, another] { try channel.writeInbound(ByteBuffer(string: piece)) }
        var heads = 0
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .head = part { heads += 1 }
        }
        #expect(heads == 1)
    }

    @Test func `a peer that does not go after the last answer is waited for no longer than a moment`() throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        try ask(.GET)
        _ = try answer()
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive, "its connection is kept")
        try ask(.GET)
        _ = try answer(["content-length": "0", "connection": "close"])
        // What nobody answers, since its connection has had its last answer.
        try channel.writeInbound(HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
        #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
        channel.embeddedEventLoop.advanceTime(by: AnswerFramingHandler.patience - .milliseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test(arguments: [HTTPMethod.GET, .HEAD])
    func `the moment begins when the answer is sent, whatever asked for it`(method: HTTPMethod) throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        try ask(method, .http1_0)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        _ = try answer()
        channel.embeddedEventLoop.advanceTime(by: AnswerFramingHandler.patience)
        #expect(!channel.isActive)
    }

    @Test func `RFC 9112 §9.6: after a body that is malformed no answer comes but those that are owed`() throws {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        for method in [HTTPMethod.GET, .POST] { try ask(method) }
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        _ = try answer(["content-length": "0"])
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive, "the answer to the second is owed")
        _ = try answer(["content-length": "0"])
        channel.embeddedEventLoop.advanceTime(by: AnswerFramingHandler.patience)
        #expect(!channel.isActive)
    }

    @Test func `an informational answer comes before the answer`() throws {
        try ask(.GET, connection: "close")
        let more = HTTPResponseHead(version: .http1_1, status: .continue)
        try channel.writeOutbound(HTTPServerResponsePart.head(more))
        #expect(try answer(["content-length": "0"]).contains("\r\ncontent-length: 0\r\nconnection: close\r\n"))
    }

    @Test func `an answer to what was no request is left alone`() throws {
        #expect(try answer(["content-length": "0"]) == "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
    }
}

private final class CountingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private(set) var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += 1
        context.fireChannelRead(data)
    }
}

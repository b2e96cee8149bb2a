import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BridgeHTTP

/// Who waits before a body is sent (RFC 9110, section 10.1.1).
@Suite struct ContinueTests {
    private static let goOn = "HTTP/1.1 100 Continue\r\n\r\n"
    private static let waiting: HTTPHeaders = ["Expect": "100-continue", "Content-Length": "1"]

    private let channel = EmbeddedChannel()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), AnswerFramingHandler(longestBody: 100, stop: InboundStop()),
            ContinueHandler(longestBody: 100),
        ])
    }

    /// - Returns: what goes over the wire at once.
    @discardableResult
    private func ask(
        _ method: HTTPMethod = .POST, _ headers: HTTPHeaders = [:], version: HTTPVersion = .http1_1
    ) throws -> String {
        let head = HTTPRequestHead(version: version, method: method, uri: "/", headers: headers)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        return try sent()
    }

    private func answer(_ headers: HTTPHeaders = ["content-length": "0"]) throws -> String {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        try channel.writeOutbound(HTTPServerResponsePart.head(head))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        return try sent()
    }

    private func sent() throws -> String {
        var sent = ""
        while case .byteBuffer(let piece) = try channel.readOutbound(as: IOData.self) { sent += String(buffer: piece) }
        return sent
    }

    static let withBodies: [HTTPHeaders] = [
        waiting, ["expect": "100-Continue", "transfer-encoding": "chunked"],
        ["Expect": "something, 100-continue", "Content-Length": "100"],
    ]

    @Test(arguments: withBodies)
    func `who waits with a body is told to go on, once`(headers: HTTPHeaders) throws {
        #expect(try ask(.POST, headers) == Self.goOn)
        channel.pipeline.fireChannelReadComplete()
        #expect(try sent().isEmpty)
        #expect(try answer() == "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "the answer is another one")
    }

    static let withoutWait: [HTTPHeaders] = [
        ["Content-Length": "1"], ["Expect": "100-continue"], ["Expect": "100-continue", "Content-Length": "0"],
        ["Expect": "something", "Content-Length": "1"],
    ]

    @Test(arguments: withoutWait)
    func `who has no body to send, or does not wait, is told nothing`(headers: HTTPHeaders) throws {
        #expect(try ask(.POST, headers).isEmpty)
    }

    @Test func `of HTTP/1.0 the expectation is passed over`() throws {
        #expect(try ask(.POST, Self.waiting, version: .http1_0).isEmpty)
    }

    @Test func `a body that no route takes is not asked for`() throws {
        #expect(try ask(.POST, ["Expect": "100-continue", "Content-Length": "101"]).isEmpty)
    }

    @Test(arguments: ["101", "99999999999999999999"])
    func `with a body that is not asked for the connection ends, and the answer says so`(length: String) throws {
        try ask(.POST, ["Expect": "100-continue", "Content-Length": length])
        guard case .head(let told) = try channel.readInbound(as: HTTPServerRequestPart.self) else {
            Issue.record("no head came")
            return
        }
        #expect(told.headers["connection"] == ["close"])
        #expect(try answer() == "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    }

    @Test func `a long body that comes without asking leaves the connection as it is`() throws {
        try ask(.POST, ["Content-Length": "101"])
        #expect(try answer() == "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
    }

    @Test func `the longest body that a route takes is asked for`() {
        for limit in [BodyReader.limit, AdminRequestReader.bodyLimit, TokenController.bodyLimit] {
            #expect(limit <= BodyReader.longest)
        }
    }

    @Test func `a body that came with its header is not asked for`() throws {
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: Self.waiting)
        let pipeline = channel.pipeline.syncOperations
        pipeline.fireChannelRead(NIOAny(HTTPServerRequestPart.head(head)))
        pipeline.fireChannelRead(NIOAny(HTTPServerRequestPart.body(ByteBuffer(string: "a"))))
        pipeline.fireChannelReadComplete()
        #expect(try sent().isEmpty)
    }

    @Test func `who waits behind another request is told after its answer`() throws {
        try ask(.GET)
        #expect(try ask(.POST, Self.waiting).isEmpty)
        #expect(try answer() == "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" + Self.goOn)
    }

    @Test func `behind the last answer of a connection nothing follows`() throws {
        try ask(.GET)
        try ask(.POST, Self.waiting)
        #expect(try answer(["content-length": "0", "connection": "close"]).hasSuffix("connection: close\r\n\r\n"))
    }

    @Test func `who waits after HEAD on the same connection is told too`() throws {
        try ask(.HEAD)
        _ = try answer()
        #expect(try ask(.POST, Self.waiting) == Self.goOn)
    }
}

import Bridge
import CoreMetrics
import NIOCore
import NIOEmbedded
import NIOHTTP1
import OAuth2
import Testing

@testable import BridgeHTTP

/// What the parser cannot read, and how that is said (RFC 9112 §3, RFC 6585 §5, contract §11).
@Suite struct MalformedRequestTests {
    private static let limit = 100
    private static let maximumFields = 4

    private let channel = EmbeddedChannel()
    private let lines = TextSink()
    private let log: AccessLog

    init() throws {
        let sink = lines
        log = AccessLog { sink.append($0) }
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = Self.limit
        limits.maxHeaderListSize = Self.limit
        limits.maxHeaderFieldCount = Self.maximumFields
        let requests = MalformedRequests(
            front: FrontServices(accessLog: log, metrics: NOOPMetricsHandler.instance, proofs: nil),
            origins: Origins(website: try #require(WebOrigin("https://id.example"))), strictTransportSecurity: nil)
        let line = RequestLineLength(limit: Self.limit)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            HTTPResponseEncoder(), line, ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)),
            MalformedRequestHandler(requests, line: line),
        ])
    }

    private static let good = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func filler(_ count: Int) -> String { String(repeating: "a", count: count) }

    /// - Returns: what is answered to pieces that come one after another, the last of which the parser refuses.
    private func answer(to pieces: [String]) throws -> String {
        for piece in pieces.dropLast() { try channel.writeInbound(ByteBuffer(string: piece)) }
        let last = try #require(pieces.last)
        #expect(throws: HTTPParserError.self) { try channel.writeInbound(ByteBuffer(string: last)) }
        // As the server does that the parser's error reaches.
        let bare = HTTPResponseHead(
            version: .http1_1, status: .badRequest, headers: ["connection": "close", "content-length": "0"])
        try channel.writeOutbound(HTTPServerResponsePart.head(bare))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        var sent = ""
        while case .byteBuffer(let piece) = try channel.readOutbound(as: IOData.self) { sent += String(buffer: piece) }
        return sent
    }

    private func expect(_ pieces: [String], toBe status: Int, _ code: ErrorCode) throws {
        let sent = try answer(to: pieces)
        #expect(sent.hasPrefix("HTTP/1.1 \(status) "))
        #expect(sent.contains("\r\nconnection: close\r\n"))
        #expect(sent.contains(#""error":"\#(code.rawValue)""#))
        log.flush()
        #expect(lines.text.contains(#""route":"malformed","method":"","status":\#(status),"#))
    }

    @Test func `what is no HTTP is 400`() throws {
        try expect(["NONSENSE\r\n\r\n"], toBe: 400, .invalidRequest)
    }

    static let unknownMethods = [
        "BREW /session HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n", "\(good)BREW / HTTP/1.1\r\n",
    ]

    @Test(arguments: unknownMethods)
    func `a method that nobody knows is 501`(text: String) throws {
        try expect([text], toBe: 501, .invalidRequest)
    }

    static let noRequestLines = [
        "BREW\r\n\r\n", "B{} / HTTP/1.1\r\n", "\u{16}\u{3} / HTTP/1.1\r\n", "BREW / HTTP/9.9\r\n", "BREW  /\r\n",
    ]

    @Test(arguments: noRequestLines)
    func `what does not begin as a request does is 400, whatever stands for its method`(text: String) throws {
        try expect([text], toBe: 400, .invalidRequest)
    }

    static let longTargets = [
        ["GET /\(filler(100)) HTTP/1.1\r\nHost: a\r\n\r\n"], ["GET /\(filler(100))"],
        ["GET /\(filler(60))", filler(60)], ["\r\nGET /\(filler(60))", "\(filler(60)) HTTP/1.1\r\n"],
        // The second of a connection that is kept.
        ["GET /\(filler(60)) HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\(filler(60))", filler(60)],
        ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", "GET /\(filler(60))", filler(60)],
        // One that begins in the piece in which another ends.
        ["\(good)GET /\(filler(100)) HTTP/1.1\r\n"], ["\(good)\(good)\r\nGET /\(filler(60))", filler(60)],
        ["GET / HTTP/1.1\r\nHost: a\r\n\r", "\nGET /\(filler(60))", filler(60)],
    ]

    @Test(arguments: longTargets)
    func `a target that is too long is 414`(pieces: [String]) throws {
        try expect(pieces, toBe: 414, .uriTooLong)
    }

    static let largeHeaders = [
        ["GET / HTTP/1.1\r\nHost: a\r\nX-A: \(filler(100))\r\n\r\n"],
        ["GET / HTTP/1.1\r\nHost: a\r\n", "X-A: \(filler(60))", filler(60)],
        ["GET / HTTP/1.1\r\nHost: a\r\nX-A: \(filler(50))\r\nX-B: \(filler(50))\r\n\r\n"],
        ["GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n"],
        // Each of them is not, and both together are.
        ["GET /\(filler(60)) HTTP/1.1\r\nHost: a\r\nX-A: \(filler(60))\r\n\r\n"],
        ["GET /\(filler(60)) HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nX-A: \(filler(100))"],
        // The line of the second came with the first.
        ["\(good)GET / HTTP/1.1\r\nHost: a\r\n", "X-A: \(filler(60))", filler(60)],
        ["\(good)GET / HTTP/1.1\r\nX-A: \(filler(60))", filler(60)],
    ]

    @Test(arguments: largeHeaders)
    func `header fields that are too long or too many are 431`(pieces: [String]) throws {
        try expect(pieces, toBe: 431, .headerFieldsTooLarge)
    }

    static let codings = [
        "Transfer-Encoding:\r\nContent-Length: 1", "Content-Length: 1\r\nTransfer-Encoding: ", "Transfer-Encoding: ,",
        "Transfer-Encoding: gzip, chunked",
    ]

    @Test(arguments: codings)
    func `RFC 9112 §6.1: a transfer coding that is not chunked alone is refused, also one without a name`(
        fields: String
    ) throws {
        try expect(["POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\na"], toBe: 400, .invalidRequest)
    }

    static let refusedHeads = [
        ["HEAD /\(filler(100)) HTTP/1.1\r\n"], ["HE", "AD /\(filler(60))", filler(60)],
        ["HEAD / HTTP/1.1\r\nX-A: \(filler(100))"], ["HEAD / NONSENSE\r\n\r\n"],
        ["\(good)HEAD / HTTP/1.1\r\nHost: a\r\n", "X-A: \(filler(60))", filler(60)],
    ]

    @Test(arguments: refusedHeads)
    func `the refusal of HEAD has no content`(pieces: [String]) throws {
        let sent = try answer(to: pieces)
        #expect(sent.hasPrefix("HTTP/1.1 4"))
        #expect(sent.hasSuffix("\r\n\r\n"))
        #expect(sent.lowercased().contains("\r\ncontent-type: application/json\r\n"))
    }

    @Test func `the refusal of what follows HEAD on its connection has content`() throws {
        let sent = try answer(to: ["HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /\(Self.filler(100)) HTTP/1.1\r\n"])
        #expect(sent.contains(#""error":"uri_too_long""#))
    }

    @Test func `trailer fields that are too long are told as header fields are`() {
        #expect(ErrorTable.answer(to: HTTPParserError.headerOverflow).status == 431)
        #expect(ErrorTable.answer(to: HTTPParserError.invalidChunkSize).status == 400)
    }
}

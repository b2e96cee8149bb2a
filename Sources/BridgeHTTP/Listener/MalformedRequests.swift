import Bridge
import HTTPTypes
import NIOCore
import NIOHTTP1
import OAuth2

/// Answers what is not an HTTP request at all as every other refusal is answered: with a request id, which is in the
/// access log, and the API's error body.
package struct MalformedRequests: Sendable {
    private let issuer: WebOrigin
    private let strictTransportSecurity: String?
    private let accessLog: AccessLog
    private let time: TimeSource
    private let random: RandomSource

    package init(front: FrontServices, origins: Origins, strictTransportSecurity: String?) {
        issuer = origins.issuer
        self.strictTransportSecurity = strictTransportSecurity
        accessLog = front.accessLog
        time = front.time
        random = front.random
    }

    /// Completes the bare answer that the server gives.
    /// - Parameters:
    ///   - refusal: what is wrong with the request.
    ///   - peer: the other end of the connection: nothing that such a request says of itself is believed.
    /// - Returns: the body.
    func complete(
        _ head: inout HTTPResponseHead, with refusal: ErrorTable.Answer, peer: NetworkAddress?
    ) -> ByteBuffer {
        let requestID = RequestID.make(at: time.now(), random: random)
        let body = ByteBuffer(
            bytes: ErrorResponder.body(refusal.error, issuer: issuer, requestID: requestID).finish())
        head.status = HTTPResponseStatus(statusCode: refusal.status)
        let fields: [(HTTPField.Name, String?)] = [
            (.contentType, "application/json"), (.contentLength, String(body.readableBytes)),
            (.cacheControl, "no-store"), (.xRequestID, requestID), (.xContentTypeOptions, "nosniff"),
            (.strictTransportSecurity, strictTransportSecurity),
        ]
        for case (let name, let value?) in fields { head.headers.replaceOrAdd(name: name.rawName, value: value) }
        accessLog.write(
            at: time.now(), route: RouteLabel.malformed, method: "", status: Int(head.status.code), elapsed: .zero,
            requestID: requestID, address: peer)
        return body
    }
}

/// Replaces the server's own answer by ``MalformedRequests``, which has neither fields nor body. And refuses what the
/// server's parser lets pass: a request that does not say once for which host it is, and one whose body has a transfer
/// coding besides `chunked`. A request whose body turns out to be malformed gets one answer, which ends the connection.
final class MalformedRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let requests: MalformedRequests
    private let line: RequestLineLength
    /// What is said of the request that is malformed.
    private var refusal: ErrorTable.Answer?
    /// Requests that were passed on and have no answer yet.
    private var unanswered = 0
    private var isInBody = false
    /// Whether the last of them has one.
    private var hasBody = false
    /// The last of the requests that were passed on is malformed, and not one after it.
    private var failedInBody = false
    private var writesNoMore = false
    /// After a refused request the next message boundary is unknown.
    private var readsNoMore = false
    /// The refused request was `HEAD`, so its answer has no body (RFC 9110 §9.3.2).
    private var isAboutHead = false

    /// - Parameter line: the handler that measures what comes to the parser.
    init(_ requests: MalformedRequests, line: RequestLineLength) {
        self.requests = requests
        self.line = line
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !readsNoMore else { return }
        switch unwrapInboundIn(data) {
        case .head(let head) where !head.namesItsHost || head.isFurtherEncoded:
            readsNoMore = true
            isAboutHead = head.method == .HEAD
            return errorCaught(context: context, error: HTTPParserError.invalidHeaderToken)
        case .head(let head):
            unanswered += 1
            isInBody = true
            hasBody = head.announcesBody
        case .body: break
        case .end:
            isInBody = false
            line.begin(afterBody: hasBody)
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError {
            refusal = ErrorTable.refusal(
                of: error, isTargetTooLong: line.isTooLong, isRequestLine: line.isRequestLine)
            failedInBody = isInBody
            isAboutHead = isAboutHead || line.isHead
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !writesNoMore else {
            promise?.succeed(())
            return
        }
        // One that is informational is not an answer yet (RFC 9110 §15.2).
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200 else {
            return context.write(data, promise: promise)
        }
        // An answer to an earlier request may still be on its way.
        guard let refusal, head.isBareRefusal else {
            unanswered -= 1
            guard failedInBody, unanswered == 0 else { return context.write(data, promise: promise) }
            head.headers.replaceOrAdd(name: "connection", value: "close")
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        }
        self.refusal = nil
        // It was answered without its body being read.
        guard !failedInBody || unanswered > 0 else {
            writesNoMore = true
            promise?.succeed(())
            return
        }
        let peer = context.channel.remoteAddress.flatMap { NetworkAddress($0) }
        let body = requests.complete(&head, with: refusal, peer: peer)
        guard !isAboutHead else { return context.write(wrapOutboundOut(.head(head)), promise: promise) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
    }
}

extension HTTPResponseHead {
    /// Whether it is the server's own answer: it says that the connection ends and that it is empty, and nothing else.
    fileprivate var isBareRefusal: Bool {
        headers.count == 2 && headers.first(name: "content-length") == "0"
            && headers.first(name: "connection") == "close"
    }
}

extension HTTPRequestHead {
    /// Whether a body comes, by what the header says of its length (RFC 9112 §6.3).
    fileprivate var announcesBody: Bool {
        headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
    }

    /// Whether its body would have to be decoded after its chunks are put together (RFC 9112 §6.1): the parser takes what
    /// it gets for the body itself.
    fileprivate var isFurtherEncoded: Bool {
        guard headers.contains(name: "transfer-encoding") else { return false }
        // A field without a value counts, which has no coding: a proxy may tell the body's length by it.
        let codings = headers[canonicalForm: "transfer-encoding"]
        return codings.count != 1 || codings[0].lowercased() != "chunked"
    }

    /// Whether there is one `Host`, which may be one (RFC 9112 §3.2): of two, a proxy in front may have read the other.
    /// HTTP/1.0 knows requests without.
    fileprivate var namesItsHost: Bool {
        let hosts = headers["Host"]
        guard let host = hosts.first else { return version == .http1_0 }
        return hosts.count == 1 && host.utf8.allSatisfy(Self.isHostByte)
    }

    /// A byte of `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2).
    private static func isHostByte(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || ":[]%!$&'()*+,;=".utf8.contains(byte)
    }
}

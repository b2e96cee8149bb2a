import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS
import SelfIssuedIdP

/// One request and its answer on a connection whose certificate was verified.
final class WebsiteExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: WebsiteRequest
    private let whole: EventLoopPromise<WebsiteAnswer>
    private var status = 0
    private var body: [UInt8] = []

    init(_ request: WebsiteRequest, _ whole: EventLoopPromise<WebsiteAnswer>) {
        self.request = request
        self.whole = whole
    }

    /// Nothing is written before the certificate was verified: in the answer there may be tokens.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { write(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = Int(head.status.code)
        case .body(let part):
            guard body.count + part.readableBytes <= WebsiteRequest.maximumBytes else {
                let limit = WebsiteRequest.maximumBytes
                return fail(.tooLarge, "\(request.address) holds more than \(limit) bytes", context)
            }
            body += part.readableBytesView
        case .end:
            do {
                guard let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate() else {
                    return fail(.certificateUntrusted, "\(request.address.host) showed no certificate", context)
                }
                whole.succeed(
                    WebsiteAnswer(status: status, body: body, certificate: CertificateNames(certificate)))
            } catch {
                fail(.certificateUntrusted, "\(request.address.host) showed no certificate", context)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.unreachable, "\(request.address.host) hung up before it had answered", context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as NIOSSLError where error.isBrokenConnection: channelInactive(context: context)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            fail(
                .certificateUntrusted,
                "\(request.address.host) did not prove who it is: its certificate is not trusted, or is another's",
                context)
        default: fail(.unreachable, "\(request.address.host) does not speak HTTP over TLS properly", context)
        }
    }

    private func fail(_ reason: PhoneRefusal.Reason, _ words: String, _ context: ChannelHandlerContext) {
        whole.fail(PhoneRefusal(reason, words))
        context.close(promise: nil)
    }

    private func write(_ context: ChannelHandlerContext) {
        let address = request.address
        var headers: HTTPHeaders = [
            "Host": String(address.website.name), "Accept": request.accept, "User-Agent": "drawbridge-phone",
            "Connection": "close",
        ]
        var content: ByteBuffer?
        if let form = request.form?.expose() {
            headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            headers.add(name: "Content-Length", value: "\(form.utf8.count)")
            content = ByteBuffer(string: form)
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: content == nil ? .GET : .POST, uri: address.target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let content { context.write(wrapOutboundOut(.body(.byteBuffer(content))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

extension NIOSSLError {
    /// Whether the connection ended without TLS's own word for it, which says nothing about a certificate.
    fileprivate var isBrokenConnection: Bool {
        self == .uncleanShutdown || self == .handshakeFailed(.sslError([.eofDuringHandshake]))
    }
}

extension CertificateNames {
    init(_ certificate: NIOSSLCertificate) {
        var names: [String] = []
        var addresses: [String] = []
        for name in certificate._subjectAlternativeNames() {
            let octets = name.contents.withUnsafeBufferPointer { Array($0) }
            switch name.nameType {
            case .dnsName: names.append(String(decoding: octets, as: UTF8.self))
            case .ipAddress where octets.count == 4:
                addresses.append(octets.map(String.init).joined(separator: "."))
            default: break
            }
        }
        self.init(dnsNames: names, addresses: addresses)
    }
}

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SelfIssuedIdP

/// Speaks HTTP/1.1 over TLS to one website and one address of it, once.
///
/// A client of our own, because it must connect to the very address that it checked, and must show the certificate.
struct WebsiteClient: WebsiteTransport {
    private let context: NIOSSLContext
    private let resolver: HostResolver
    private let allowsPrivate: Bool

    /// - Parameters:
    ///   - authorities: a PEM file of the only authorities to trust; `nil`: the system's.
    ///   - fixed: addresses of hosts that are not looked up.
    init(authorities: String?, allowsPrivate: Bool, fixed: [String: [String]]) throws(PhoneRefusal) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if let authorities { configuration.trustRoots = .file(authorities) }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw PhoneRefusal(
                .certificateUntrusted, "the authorities of \(authorities ?? "the system") cannot be read")
        }
        resolver = HostResolver(fixed: fixed)
        self.allowsPrivate = allowsPrivate
    }

    func send(_ request: WebsiteRequest) async throws(PhoneRefusal) -> WebsiteAnswer {
        let address = request.address
        guard allowsPrivate || address.port == 443 else {
            throw PhoneRefusal(.addressNotPublic, "\(address.website.name) is not at port 443")
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let whole = loop.makePromise(of: WebsiteAnswer.self)
        let deadline = loop.scheduleTask(in: .seconds(WebsiteRequest.maximumSeconds)) {
            whole.fail(
                PhoneRefusal(.timedOut, "\(address.host) did not answer in \(WebsiteRequest.maximumSeconds) seconds"))
        }
        defer { deadline.cancel() }
        resolver.addresses(of: address, on: loop).flatMap { found -> EventLoopFuture<Void> in
            if let flaw = flaw(in: found, of: address) { return loop.makeFailedFuture(flaw) }
            return connect(to: found, for: request, on: loop, whole)
        }.cascadeFailure(to: whole)
        do {
            return try await whole.futureResult.get()
        } catch let refusal as PhoneRefusal {
            throw refusal
        } catch {
            throw PhoneRefusal(.unreachable, "\(address.host) cannot be reached")
        }
    }

    /// All of them must be public: which one a later connection would take is the resolver's choice, not ours.
    func flaw(in addresses: [SocketAddress], of address: WebAddress) -> PhoneRefusal? {
        guard !addresses.isEmpty else { return PhoneRefusal(.hostUnknown, "\(address.host) has no address") }
        guard allowsPrivate || addresses.allSatisfy({ PublicNetwork.contains($0.octets) }) else {
            return PhoneRefusal(
                .addressNotPublic, "\(address.host) is inside a private network, where no website sends a phone")
        }
        return nil
    }

    /// Tries all of them at the same time (RFC 8305): one that is out of reach, as of IPv6 where there is only IPv4,
    /// would use up the time of all.
    private func connect(
        to addresses: [SocketAddress], for request: WebsiteRequest, on loop: any EventLoop,
        _ whole: EventLoopPromise<WebsiteAnswer>
    ) -> EventLoopFuture<Void> {
        let context = context
        let host = request.address.host
        return ClientBootstrap(group: loop)
            .connectTimeout(.seconds(WebsiteRequest.maximumSeconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    // Without a name the certificate is checked against the address that we connected to.
                    try pipeline.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: request.address.isAddress ? nil : host))
                    try pipeline.addHTTPClientHandlers()
                }
            }
            .resolver(CheckedAddresses(addresses: addresses, loop: loop))
            .connect(host: host, port: request.address.port)
            .flatMapErrorThrowing { _ in throw PhoneRefusal(.unreachable, "\(host) does not take connections") }
            .flatMap { channel in
                whole.futureResult.whenComplete { _ in channel.close(promise: nil) }
                // Not earlier: what becomes of a connection that lost is not the exchange's end.
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(WebsiteExchange(request, whole))
                }
            }
    }
}

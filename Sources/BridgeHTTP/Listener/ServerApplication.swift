package import Bridge
package import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
package import NIOSSL

/// The public listener: a router behind connection limits, and TLS when a certificate is given.
/// - Parameters:
///   - tls: the certificate in use; replace its value to renew it for new connections.
///   - malformed: answers what is not a request.
///   - onServerRunning: told the listening channel, whose local address has the port that was picked for port 0.
package func buildApplication<Context: RequestContext>(
    router: Router<Context>, address: BindAddress, limits: ServerLimits, tls: Reloadable<NIOSSLContext>? = nil,
    malformed: MalformedRequests, logger: Logger,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void
) -> some ApplicationProtocol where Context.Source == ApplicationRequestContextSource {
    Application(
        router: router,
        server: serverBuilder(limits: limits, tls: tls, malformed: malformed),
        configuration: ApplicationConfiguration(
            address: address, backlog: 1024,
            availableConnectionsDelegate: .maximum(limits.maximumConnections, logger: logger)),
        onServerRunning: onServerRunning, logger: logger)
}

private func serverBuilder(
    limits: ServerLimits, tls: Reloadable<NIOSSLContext>?, malformed: MalformedRequests
) -> HTTPServerBuilder {
    let configuration = HTTP1Channel.Configuration(
        idleTimeout: limits.headerTimeout,
        httpDecoderConfiguration: .init(
            maxHeaderFieldSize: limits.maximumHeaderSize, maxHeaderListSize: limits.maximumHeaderSize,
            maxHeaderFieldCount: ServerLimits.maximumHeaderCount))
    return HTTPServerBuilder { responder in
        GuardedChannel(
            base: HTTP1Channel(responder: responder, configuration: configuration), tls: tls,
            bodyTimeout: limits.bodyTimeout, readingTimeout: limits.readingTimeout, malformed: malformed)
    }
}

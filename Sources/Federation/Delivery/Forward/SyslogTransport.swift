import Bridge
import NIOCore
import NIOPosix

/// Syslog messages with octet counts over TCP or TLS.
struct SyslogTransport: AuditForwardTransport {
    let host: String
    let port: Int
    let tls: AuditForwardTLS?
    let message: SyslogMessage
    var settling = Duration.seconds(5)

    private static let connectTimeout = TimeAmount.seconds(10)

    func connect() async throws -> any AuditForwardConnection {
        let watcher = SyslogReceiverWatcher()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(Self.connectTimeout)
            // An idle connection to a receiver that went without a word is found out, too.
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [tls, host, port] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(try tls.makeHandler(host: host, port: port))
                    }
                    try channel.pipeline.syncOperations.addHandler(SyslogReceiverHandler(watcher: watcher))
                }
            }
            .connect(host: host, port: port).get()
        return SyslogConnection(channel: channel, watcher: watcher, message: message, settling: settling)
    }
}

import NIOCore
import Synchronization

/// Remembers why a connection to a receiver ended.
final class SyslogReceiverWatcher: Sendable {
    private let problem = Mutex<String?>(nil)

    /// The first reason stands: what follows is its consequence.
    func note(_ text: String) { problem.withLock { $0 = $0 ?? text } }

    var failure: AuditForwardError {
        AuditForwardError(problem.withLock { $0 } ?? "the receiver closed the connection")
    }
}

/// The end of the pipeline: syslog receivers say nothing, but they hang up, and TLS fails here.
final class SyslogReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let watcher: SyslogReceiverWatcher

    init(watcher: SyslogReceiverWatcher) { self.watcher = watcher }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        watcher.note("\(error)")
        context.close(promise: nil)
    }
}

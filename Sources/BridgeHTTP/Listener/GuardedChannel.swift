import Bridge
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// HTTP/1.1 with a deadline for bodies, behind TLS with the context that is current when a connection comes in.
///
/// Hummingbird's own `TLSChannel` keeps the context it was made with, so a renewed certificate would need a restart.
struct GuardedChannel: ServerChildChannel {
    let base: HTTP1Channel
    let tls: Reloadable<NIOSSLContext>?
    let bodyTimeout: TimeAmount
    /// `nil` leaves the server's own answer.
    let malformed: MalformedRequests?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture {
            guard let tls else { return }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.current))
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(BodyDeadlineHandler(timeout: bodyTimeout), position: .after(decoder))
            if let malformed {
                try pipeline.addHandler(MalformedRequestHandler(malformed), position: .after(decoder))
            }
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

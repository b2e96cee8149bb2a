import Bridge
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// HTTP/1.1 with deadlines for bodies and for taking answers, and a last answer at the stop, behind TLS with the
/// context that is current when a connection comes in.
///
/// Hummingbird's own `TLSChannel` keeps the context it was made with, so a renewed certificate would need a restart.
struct GuardedChannel: ServerChildChannel {
    let base: HTTP1Channel
    let tls: Reloadable<NIOSSLContext>?
    let bodyTimeout: TimeAmount
    /// How long a peer may take next to nothing of its answers.
    let readingTimeout: TimeAmount
    /// `nil` leaves the server's own answer.
    let malformed: MalformedRequests?

    /// A proxy under load asks again within milliseconds; whoever waits for the end of the process, not longer than this.
    private static let patienceAtStop = TimeAmount.seconds(1)

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        let peer = ConnectedPeer(on: channel.eventLoop)
        return channel.eventLoop.makeCompletedFuture {
            guard let tls else { return }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.current))
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.map { [base] value in
            // Before anything can fail, as it does on a connection that was closed meanwhile.
            AcceptedConnection(value) { connection in
                await ConnectedPeer.$current.withValue(peer) {
                    await WaitingCaller.$current.withValue(peer.caller) {
                        await base.handle(value: connection, logger: logger)
                    }
                }
            }
        }.flatMapThrowing { accepted in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(BodyDeadlineHandler(timeout: bodyTimeout), position: .after(decoder))
            try pipeline.addHandler(LastRequestHandler(patience: Self.patienceAtStop), position: .after(decoder))
            try pipeline.addHandler(ContinueHandler(longestBody: BodyReader.longest), position: .after(decoder))
            // Before the framing of answers, which changes their ends.
            try pipeline.addHandler(UnreadAnswerHandler(timeout: readingTimeout), position: .after(decoder))
            let stop = InboundStop()
            try pipeline.addHandler(stop, position: .before(decoder))
            try pipeline.addHandler(DepartureHandler(peer), position: .before(decoder))
            let framing = AnswerFramingHandler(longestBody: BodyReader.longest, stop: stop)
            try pipeline.addHandler(framing, position: .after(decoder))
            if let malformed {
                let line = RequestLineLength(limit: base.configuration.httpDecoder.maxHeaderFieldSize)
                try pipeline.addHandler(line, position: .before(decoder))
                try pipeline.addHandler(MalformedRequestHandler(malformed, line: line), position: .after(decoder))
            }
            return accepted
        }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        await value.serve()
    }
}

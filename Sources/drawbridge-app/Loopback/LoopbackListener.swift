import DrawbridgeClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// Listens for the browser's answer on a free port of loopback, on both address families where there are both.
///
/// Without `SO_REUSEADDR` and `SO_REUSEPORT`: nobody else can take the port while it is ours (RFC 8252 §8.3 and its
/// companion on loopback redirects).
struct LoopbackListener: Sendable {
    static let usualPath = "/callback"

    /// The redirect address.
    let address: String
    private let inbox: LoopbackInbox
    private let channels: [any Channel]

    /// - Parameters:
    ///   - family: which of the two the redirect address names, when this machine has it.
    ///   - path: of the redirect address.
    static func bind(
        _ family: LoopbackFamily, path: String = Self.usualPath
    ) async throws(ClientError) -> LoopbackListener {
        for candidate in [family, family.other] {
            if let listener = await bindBoth(candidate, path) { return listener }
        }
        throw .configuration("no port of this machine can be listened on")
    }

    /// - Returns: `nil` when the machine does not have this family.
    private static func bindBoth(_ family: LoopbackFamily, _ path: String) async -> LoopbackListener? {
        for _ in 0..<20 {
            let inbox = LoopbackInbox(path: path)
            guard let first = await listen(family, port: 0, inbox), let port = first.localAddress?.port else {
                return nil
            }
            // The same port on the other family, so that nobody else answers there in our place.
            if let second = await listen(family.other, port: port, inbox) {
                return LoopbackListener(family, port, inbox, [first, second])
            }
            guard let probe = await listen(family.other, port: 0, LoopbackInbox(path: path)) else {
                return LoopbackListener(family, port, inbox, [first])
            }
            // It has the other family, and somebody sits on that port there: another port for both.
            for channel in [probe, first] { try? await channel.close() }
        }
        return nil
    }

    private init(_ family: LoopbackFamily, _ port: Int, _ inbox: LoopbackInbox, _ channels: [any Channel]) {
        address = "http://\(family.addressHost):\(port)\(inbox.path)"
        self.inbox = inbox
        self.channels = channels
    }

    /// - Parameter judge: what an address that the browser opened is to us.
    /// - Returns: the one answer, or nothing when the listener was closed first.
    func answers(_ judge: @escaping @Sendable (String) -> LoopbackInbox.Reception) -> AsyncStream<String> {
        inbox.open(judge)
        return inbox.answers
    }

    /// Ends the wait without an answer.
    func giveUp() { inbox.close() }

    /// Stops listening; a second caller finds nobody.
    func close() async {
        inbox.close()
        for channel in channels { try? await channel.close() }
    }

    private static func listen(
        _ family: LoopbackFamily, port: Int, _ inbox: LoopbackInbox
    ) async -> (any Channel)? {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(LoopbackHandler(inbox))
                }
            }
        return try? await bootstrap.bind(host: family.host, port: port).get()
    }
}

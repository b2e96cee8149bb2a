import Bridge
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import BridgeHTTP

/// What is known of the other end of a connection (ADR-0087).
@Suite struct DepartureTests {
    private let channel: NIOAsyncTestingChannel
    private let peer: ConnectedPeer
    private let follower = Follower()

    init() async throws {
        let channel = NIOAsyncTestingChannel()
        let peer = ConnectedPeer(on: channel.eventLoop)
        let follower = follower
        try await channel.testingEventLoop.executeInContext {
            try channel.pipeline.syncOperations.addHandlers([DepartureHandler(peer), follower])
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
        self.channel = channel
        self.peer = peer
    }

    @Test func `a peer that keeps its connection is there`() async {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.outputClosed)
        #expect(await !peer.hasLeft())
    }

    @Test func `a peer that closes its own direction has left, though the loop has yet to come to it`() async {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(await peer.hasLeft())
        #expect(peer.caller.hasLeft, "a write that waits is told too")
        #expect(follower.heard.load(ordering: .relaxed) == 1, "what follows goes by it too")
    }

    @Test func `a peer whose connection is gone has left`() async throws {
        try await channel.close()
        #expect(await peer.hasLeft())
        #expect(follower.heard.load(ordering: .relaxed) == 1, "what follows goes by it too")
    }
}

/// Counts the ends that come through.
private final class Follower: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let heard = Atomic(0)

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { heard.add(1, ordering: .relaxed) }
    }

    func channelInactive(context: ChannelHandlerContext) { heard.add(1, ordering: .relaxed) }
}

import NIOCore
import NIOPosix
import Synchronization

@testable import RedisStorage

/// A server that answers what the test wants. Introductions (`CLIENT SETNAME`) are always taken.
final class FakeRedis: Sendable {
    typealias Answer = @Sendable (_ command: [String]) -> String?

    private let channels: Mutex<[any Channel]>
    let address: RedisAddress

    /// - Parameter answer: the bytes for a command; `nil` to say nothing.
    init(answer: @escaping Answer) async throws {
        let accepted = ChannelList()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 512)
            .childChannelInitializer { channel in
                accepted.append(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FakeRedisHandler(answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.accepted = accepted
        channels = Mutex([server])
        address = RedisAddress(host: "127.0.0.1", port: server.localAddress?.port ?? 0)
    }

    private let accepted: ChannelList

    /// Sends bytes on every connection, asked or not.
    func write(_ text: String) {
        for channel in accepted.all { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }

    func close() {
        for channel in channels.withLock({ $0 }) + accepted.all { channel.close(promise: nil) }
    }

    /// - Parameter resolver: tells the addresses of the server; `nil` for the one it has.
    func connect(limits: RedisLimits, by resolver: (any Resolver & Sendable)? = nil) async throws -> RedisConnection {
        var settings = RedisSettings(addresses: [address])
        settings.limits = limits
        let connector = RedisConnector(
            settings: settings, group: MultiThreadedEventLoopGroup.singleton, resolver: resolver)
        return try await connector.connect(
            to: resolver == nil ? address : RedisAddress(host: "redis.example", port: address.port))
    }

    static func with(_ answer: @escaping Answer, _ body: (FakeRedis) async throws -> Void) async throws {
        let server = try await FakeRedis(answer: answer)
        defer { server.close() }
        try await body(server)
    }
}

/// Says that a name has these addresses.
struct SetAddresses: Resolver, Sendable {
    let addresses: [SocketAddress]

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        MultiThreadedEventLoopGroup.singleton.next().makeSucceededFuture(addresses)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        MultiThreadedEventLoopGroup.singleton.next().makeSucceededFuture([])
    }

    func cancelQueries() {}
}

private final class ChannelList: Sendable {
    private let channels = Mutex<[any Channel]>([])
    var all: [any Channel] { channels.withLock { $0 } }
    func append(_ channel: any Channel) { channels.withLock { $0.append(channel) } }
}

/// A command is an array of bulk strings, which the reply reader reads as well.
private final class FakeRedisHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let reader: RedisReplyReader
    private let answer: FakeRedis.Answer

    init(answer: @escaping FakeRedis.Answer) throws {
        self.answer = answer
        reader = try RedisReplyReader(byteLimit: 1 << 20)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var text = ""
        do {
            try reader.feed(unwrapInboundIn(data))
            while let command = try reader.next()?.elements?.compactMap(\.text) {
                text += command.first == "CLIENT" ? "+OK\r\n" : answer(command) ?? ""
            }
        } catch {
            context.close(promise: nil)
        }
        if !text.isEmpty { context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil) }
    }
}

import NIOCore
import NIOHTTP1

/// One connection, one request: reads it whole, and answers in the manner that the script wants.
final class VectorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let server: VectorServer
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    /// More than any report of a runner.
    private static let maximumBody = 8 << 20
    private static let chunk = 64 << 10
    /// How much of a huge answer comes at the speed of memory.
    private static let outright = 4 << 20
    private static let pace = TimeAmount.milliseconds(10)

    init(_ server: VectorServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(var part):
            body += part.readBytes(length: part.readableBytes) ?? []
            if body.count > Self.maximumBody { context.close(promise: nil) }
        case .end:
            guard let head else { return }
            self.head = nil
            let (answer, onTaken) = server.answer(Self.request(head, body))
            guard answer.hold > 0 else { return send(answer, context, onTaken) }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(Int64(answer.hold))) {
                let (handler, context) = bound.value
                handler.send(answer, context, onTaken)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private static func request(_ head: HTTPRequestHead, _ body: [UInt8]) -> ReceivedRequest {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return ReceivedRequest(
            method: head.method.rawValue, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "",
            headers: head.headers.map { ($0.name.lowercased(), $0.value) }, body: body)
    }

    private func send(
        _ answer: ScriptedAnswer, _ context: ChannelHandlerContext, _ onTaken: @escaping @Sendable () -> Void
    ) {
        let channel = context.channel
        switch answer.manner {
        case .never: return
        case .dropped: return channel.close(promise: nil)
        case .whole, .truncated, .cutChunk, .garbage:
            let sent = channel.writeAndFlush(channel.allocator.buffer(bytes: answer.bytes))
            // The client reads to the end of the stream before it learns that something is missing.
            sent.whenComplete { _ in channel.close(promise: nil) }
        case .trickle:
            channel.writeAndFlush(channel.allocator.buffer(bytes: answer.bytes), promise: nil)
            channel.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(50), delay: .milliseconds(50)) { task in
                guard channel.isActive else { return task.cancel() }
                channel.writeAndFlush(channel.allocator.buffer(bytes: [UInt8(ascii: " ")]), promise: nil)
            }
        case .huge(let count):
            channel.writeAndFlush(channel.allocator.buffer(bytes: answer.bytes), promise: nil)
            Self.pour(count, into: channel, onTaken)
        }
    }

    /// Writes no faster than the client reads, and after ``outright`` no faster than a network does: some libraries
    /// read on one thread and judge on another, which on a busy machine gets its turn later than memory takes 32 MiB.
    private static func pour(
        _ count: Int, into channel: any Channel, after poured: Int = 0, _ onTaken: @escaping @Sendable () -> Void
    ) {
        guard count > 0 else {
            onTaken()
            return channel.close(promise: nil)
        }
        let part = min(count, chunk)
        let buffer = channel.allocator.buffer(repeating: UInt8(ascii: " "), count: part)
        channel.writeAndFlush(buffer).whenSuccess {
            let next = { @Sendable in pour(count - part, into: channel, after: poured + part, onTaken) }
            guard poured >= outright else { return next() }
            channel.eventLoop.scheduleTask(in: pace, next)
        }
    }
}

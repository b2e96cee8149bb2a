import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// An issuer's web server on loopback, whose answers a test sets and whose requests it reads.
final class IssuerServer: Sendable {
    struct Answer: Sendable {
        var status: HTTPResponse.Status = .ok
        var body: [UInt8] = []
        var location: String?
        /// Never answers.
        var hangs = false
        /// Sends the body's bytes one by one for ever after.
        var trickles = false
    }

    struct Received: Sendable {
        let path: String
        let body: String
        let authorization: String?
        let traceparent: String?
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var received: [Received] = []
    }

    private let state = Mutex(State())

    func answer(_ path: String, with answer: Answer) { state.withLock { $0.answers[path] = answer } }

    func answer(_ path: String, json: [UInt8]) { answer(path, with: Answer(body: json)) }

    var received: [Received] { state.withLock { $0.received } }

    func count(of path: String) -> Int { received.count { $0.path == path } }

    /// Runs `body` with the server's origin.
    static func run(_ body: @Sendable (IssuerServer, String) async throws -> Void) async throws {
        let server = IssuerServer()
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                try await server.respond(to: request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "issuer", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            defer { group.cancelAll() }
            for await port in ports {
                try await body(server, "http://127.0.0.1:\(port)")
                return
            }
        }
    }

    private func respond(to request: Request) async throws -> Response {
        let path = request.uri.path
        let body = try await request.body.collect(upTo: 65_536)
        let answer = state.withLock { state in
            state.received.append(
                Received(
                    path: path, body: String(buffer: body), authorization: request.headers[.authorization],
                    traceparent: HTTPField.Name("traceparent").flatMap { request.headers[$0] }))
            return state.answers[path] ?? Answer(status: .notFound)
        }
        if answer.hangs { try await Task.sleep(for: .seconds(3600)) }
        var headers: HTTPFields = [.contentType: "application/json"]
        if let location = answer.location { headers[.location] = location }
        guard answer.trickles else {
            return Response(
                status: answer.status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
        }
        return Response(
            status: answer.status, headers: headers,
            body: .init { writer in
                while true {
                    try await writer.write(ByteBuffer(string: " "))
                    try await Task.sleep(for: .milliseconds(20))
                }
            })
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2
import ServiceLifecycle
import Synchronization

/// `GET /api/admin/audit-events/stream`: events as they are written, by server-sent events.
struct AuditStreamController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(
            .get, "/api/admin/audit-events/stream", "streamAudit", as: .json, .administrator(for: .watch), stream)
    ]

    let gate: AdminGate
    let log: any AuditLog
    private let open = OpenStreams()

    /// Each stream asks the database twice a second.
    static let maximumStreams = 50
    private static let pause = Duration.milliseconds(500)
    /// After so many pauses the position, and a check that the administrator still is one.
    private static let pausesPerCheck = 20

    init(gate: AdminGate, log: any AuditLog) {
        self.gate = gate
        self.log = log
    }

    @Sendable func stream(_ request: Request, context: BridgeRequestContext, visit: AdminVisit) async throws -> Response
    {
        let query = try AdminRequestReader.query(
            request, knowing: AuditFilterReader.names.union(["last_event_id"]))
        let filter = try AuditFilterReader.filter(query)
        let position = try await position(request, query)
        guard let place = open.place() else {
            throw OAuthError(.rateLimited, "too many streams are open", retryAfter: 10)
        }
        var headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        headers[.xAccelBuffering] = "no"
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                // Nothing else holds it, so that an answer that is never written gives it back as well.
                defer { withExtendedLifetime(place) {} }
                try await follow(from: position, matching: filter, for: visit, to: &writer)
                try await writer.finish(nil)
            })
    }

    /// Where to begin: after what the browser says it has, or at the present end.
    private func position(_ request: Request, _ query: FormParameters) async throws -> AuditPosition {
        guard let text = request.headers[.lastEventID].flatMap({ $0.isEmpty ? nil : $0 }) ?? query["last_event_id"]
        else { return try await AuditPosition.end(of: log) }
        if let position = AuditPosition(text) { return try await position.marked(in: log) }
        // A program that reads no more than the events, in a list or here, knows their own ids.
        guard let position = try await AuditPosition.after(text, in: log) else {
            throw OAuthError(.invalidRequest, "Last-Event-ID is neither of this stream nor an event's id")
        }
        return try await position.marked(in: log)
    }

    private func follow(
        from start: AuditPosition, matching filter: AuditFilter, for visit: AdminVisit,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var follower = AuditFollower(log: log, position: start)
        var sent = start
        try await writer.write(ByteBuffer(string: "retry: 2000\nid: \(start.text)\n: listening\n\n"))
        var pauses = 0
        for await _ in AsyncTimer(every: Self.pause).cancelOnGracefulShutdown() {
            var isQuiet = true
            for entry in try await follower.next(limit: 1000) {
                sent.advance(to: entry)
                // What cannot be read matches when nothing is asked for.
                guard entry.value.map({ filter.matches($0.event) }) ?? (filter == AuditFilter()) else { continue }
                var piece = ByteBuffer(string: "id: \(sent.text)\ndata: ")
                piece.writeBytes(entry.json)
                piece.writeString("\n\n")
                try await writer.write(piece)
                isQuiet = false
            }
            pauses += 1
            if pauses % Self.pausesPerCheck == 0 {
                guard (try? await gate.stillAdmits(visit)) == true else { return }
                try await writer.write(ByteBuffer(string: ": \(sent.text)\n\n"))
            } else if isQuiet {
                // Only a write tells that nobody is there any more, and the place is another's then.
                try await writer.write(ByteBuffer(string: ":\n\n"))
            }
        }
    }
}

/// How many streams are open.
private final class OpenStreams: Sendable {
    private let count = Mutex(0)

    /// - Returns: `nil` when there are too many.
    func place() -> StreamPlace? {
        let isFree = count.withLock { count -> Bool in
            guard count < AuditStreamController.maximumStreams else { return false }
            count += 1
            return true
        }
        return isFree ? StreamPlace(among: self) : nil
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// The place of one stream, for as long as somebody holds it: the answer to `HEAD`, or to a client that has gone, has a
/// body that nobody runs.
private final class StreamPlace: Sendable {
    private let streams: OpenStreams

    init(among streams: OpenStreams) { self.streams = streams }

    deinit { streams.leave() }
}

extension HTTPField.Name {
    static let lastEventID = literal("Last-Event-ID")
    static let xAccelBuffering = literal("X-Accel-Buffering")
}

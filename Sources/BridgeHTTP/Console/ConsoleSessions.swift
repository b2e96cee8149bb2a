import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Everybody's sessions that live now, and those of one client.
struct ConsoleSessions: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/sessions", "consoleSessions", list)
    ]

    let frame: ConsoleFrame

    private static let pageSize = 50

    @Sendable func list(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["kind", "client_id", "cursor"])
        guard let kind = SessionOverview.Kind(rawValue: query["kind"] ?? SessionOverview.Kind.web.rawValue) else {
            throw OAuthError(.invalidRequest, "kind must be web or app")
        }
        let now = frame.time.now()
        let words = frame.words(request, context)
        let client = query["client_id"].map(ClientID.init(rawValue:))
        let page = try await LiveSessions(store: frame.services.storage).page(
            of: kind, client: client, before: AuditFilterReader.cursor(query), limit: Self.pageSize, at: now)
        let names = try await ConsoleNames(of: page.found.map(\.session.subject), in: frame.services.storage)
        let clients = try await frame.services.clients.clients().map(\.id)
        let isLater = query["cursor"] != nil
        let live = try await frame.services.storage.countLiveSessions(at: now)
        var values: [String: any Sendable] = [
            "sessions": page.found.map { Self.row($0, words, names) },
            "is_empty": page.found.isEmpty && page.next == nil,
            "count": words.count(page.found.count, isMore: page.next != nil, isLater: isLater),
            "live_now": words("console_sessions", "live_now", ["count": String(live)]),
            "is_filtered": client != nil || kind == .app,
            "clients": clients.map { ["id": $0.rawValue, "is_chosen": $0 == client] as [String: any Sendable] },
            "kinds": [SessionOverview.Kind.web, .app].map { item -> [String: any Sendable] in
                [
                    "word": item.rawValue, "name": words("console_sessions", "\(item.rawValue)s"),
                    "is_chosen": item == kind,
                ]
            },
        ]
        let filters = [("kind", kind.rawValue)] + (client.map { [("client_id", $0.rawValue)] } ?? [])
        if isLater { values["first_path"] = "/admin/sessions?\(ConsoleEvents.query(filters))" }
        if let next = page.next {
            values["next_path"] = "/admin/sessions?\(ConsoleEvents.query(filters + [("cursor", next.text)]))"
        }
        return frame.render("sessions", values, section: .sessions, visit: visit, request, context)
    }

    private static func row(
        _ found: LiveSessions.Found, _ words: ConsoleWords, _ names: ConsoleNames
    ) -> [String: any Sendable] {
        let session = found.session
        var row: [String: any Sendable] = [
            "sub": session.subject.rawValue,
            // Where the session can be ended. No server sees the fragment, so the query says which one must be there.
            "user_path": ConsoleRows.userPath(session.subject)
                + "?session=\(PercentEncoding.encode(session.id.rawValue))#session-\(session.id.rawValue)",
            "client": session.clientID.rawValue, "created_at": ConsoleRows.instant(session.createdAt),
            "until_at": ConsoleRows.instant(session.idleExpiresAt ?? session.expiresAt),
        ]
        row["sub_name"] = names[session.subject]
        row["opener"] = session.appClientID?.rawValue
        row["seen_at"] = session.lastSeenAt.map(ConsoleRows.instant)
        row.merge(ConsoleRows.trace(found.trace, words)) { $1 }
        return row
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Search, one event with its surroundings, and the live feed.
struct ConsoleEvents: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/events", "consoleEvents", search),
        Route(page: "/admin/events/{id}", "consoleEvent", show),
        Route(page: "/admin/live", "consoleLive", live),
    ]

    let frame: ConsoleFrame

    private static let pageSize = 50
    /// Events of the chain before and after one.
    private static let neighbours: Int64 = 3
    /// In the order of the form.
    private static let fields = [
        ("q", "Text"), ("type", "Type"), ("outcome", "Outcome"), ("reason", "Reason"), ("sub", "User"),
        ("client_id", "App or website"), ("ip", "Address or network"), ("sid", "Session"), ("token_id", "Login token"),
        ("request_id", "Request"), ("from", "From (UTC)"), ("to", "To (UTC)"),
    ]

    @Sendable func search(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: AuditFilterReader.names.union(["cursor", "limit"]))
        var values: [String: any Sendable] = [:]
        let set = Self.fields.compactMap { field in query[field.0].map { (field.0, $0) } }
        do {
            let page = try await frame.services.storage.search(
                AuditFilterReader.filter(query), before: AuditFilterReader.cursor(query), limit: Self.pageSize)
            values["events"] = page.entries.map { ConsoleRows.event($0) }
            values["is_empty"] = page.entries.isEmpty
            if let next = page.next {
                values["next_path"] = "/admin/events?\(Self.query(set + [("cursor", next.text)]))"
            }
        } catch let error as OAuthError {
            values["problem"] = error.publicDescription
            values["events"] = [[String: any Sendable]]()
        }
        values["fields"] = Self.fields.map { name, label -> [String: any Sendable] in
            ["name": name, "label": label, "value": query[name] ?? "", "is_wide": name == "q"]
        }
        let filters = set.isEmpty ? "" : "?" + Self.query(set)
        values["exports"] = [("csv", "CSV"), ("jsonl", "JSON Lines"), ("ocsf.jsonl", "OCSF")].map { ending, name in
            ["path": "/api/admin/audit-events.\(ending)\(filters)", "name": name]
        }
        values["is_filtered"] = !set.isEmpty
        return frame.render("events", values, section: .events, visit: visit, request, context)
    }

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let log = frame.services.storage
        guard let entry = try await log.entry(id: AdminRequestReader.parameter("id", context)) else {
            throw OAuthError(.notFound)
        }
        var values: [String: any Sendable] = [
            "id": entry.id, "type": entry.value?.event.type.rawValue ?? "damaged",
            "facts": entry.value.map(Self.facts) ?? [], "is_intact": entry.value?.isIntact ?? true,
        ]
        values["damage"] = entry.damage?.sentence
        let first = max(1, entry.sequence - Self.neighbours)
        let chain = try await log.entries(
            of: entry.node, in: first...(entry.sequence + Self.neighbours), limit: Int(Self.neighbours) * 2 + 1)
        values["chain"] = chain.map { neighbour -> [String: any Sendable] in
            var row = ConsoleRows.event(neighbour)
            row["hash"] = String((neighbour.value?.hash ?? neighbour.damage?.hash ?? "").prefix(12))
            row["is_this"] = neighbour.id == entry.id
            return row
        }
        if let record = entry.value, let id = record.event.requestID {
            var filter = AuditFilter()
            filter.requestID = id
            filter.from = record.event.at - .seconds(600)
            filter.to = record.event.at + .seconds(600)
            let found = try await log.search(filter, before: nil, limit: Self.pageSize).entries
            values["request"] = found.reversed().map { ConsoleRows.event($0) }
        }
        return frame.render("event", values, section: .events, visit: visit, request, context)
    }

    @Sendable func live(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let page = try await frame.services.storage.search(AuditFilter(), before: nil, limit: 20)
        return frame.render(
            "live", ["events": page.entries.map { ConsoleRows.event($0) }], section: .live, visit: visit, request,
            context)
    }

    static func query(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    }

    /// Every field, with a search for what shares it.
    private static func facts(_ record: AuditRecord) -> [[String: any Sendable]] {
        let event = record.event
        let facts: [(String, String?, String?)] = [
            ("at", event.at.rfc3339, nil), ("type", event.type.rawValue, "type"),
            ("outcome", event.outcome.rawValue, nil), ("reason", event.reason, "reason"),
            ("sub", event.subject?.rawValue, "sub"), ("client_id", event.clientID?.rawValue, "client_id"),
            ("target_client_id", event.targetClientID?.rawValue, "client_id"),
            ("sid", event.sessionID?.rawValue, "sid"), ("token_id", event.tokenID?.rawValue, "token_id"),
            ("ip", event.address, "ip"), ("user_agent", event.userAgent, nil),
            ("request_id", event.requestID, "request_id"), ("detail", event.detail, nil), ("node", record.node, nil),
            ("sequence", String(record.sequence), nil), ("hash", record.hash, nil),
            ("previous_hash", record.previousHash, nil),
        ]
        return facts.compactMap { name, value, parameter in
            guard let value else { return nil }
            var row: [String: any Sendable] = ["name": name, "value": value]
            row["path"] = parameter.map { "/admin/events?\($0)=\(PercentEncoding.encode(value))" }
            return row
        }
    }
}

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
    /// Users who are offered where a search found nothing.
    private static let mostNamed = 5
    /// Events of the chain before and after one.
    private static let neighbours: Int64 = 3
    /// In the order of the form; each with its label in the catalogue.
    private static let fields = [
        ("q", "text"), ("type", "type"), ("outcome", "outcome"), ("reason", "reason"), ("sub", "user"),
        ("client_id", "client"), ("ip", "ip"), ("sid", "session"), ("token_id", "token"), ("request_id", "request"),
        ("from", "from"), ("to", "to"),
    ]

    /// Searches that are asked for most.
    private static let saved = [
        ("saved_refusals", "outcome=failure"), ("saved_replays", "type=login_token.replayed"),
        ("saved_sign_ins", "type=user.sign_in_failed"), ("saved_bearers", "type=bearer.refused"),
        ("saved_redirects", "type=redirect.refused"), ("saved_devices", "type=device_secret.revoked"),
        ("saved_clients", "type=client.changed"), ("saved_limits", "type=rate_limit.exceeded"),
    ]

    private static func field(
        _ name: String, _ label: String, value: String, refusal: OAuthError?, clients: [String],
        _ words: ConsoleWords
    ) -> [String: any Sendable] {
        var field: [String: any Sendable] = [
            "name": name, "label": words("console_events", label), "value": value,
            "is_wrong": refusal?.problems?.first?.field == name,
            // A date with its time does not fit into one column.
            "is_wide": ["q", "from", "to"].contains(name), "input": "text",
        ]
        func list(_ words: [String]) -> [String: any Sendable] { ["words": words] }
        switch name {
        case "outcome":
            let choices = outcomes(words).map { word, title -> [String: any Sendable] in
                ["word": word, "title": title, "is_chosen": word == value]
            }
            field["choices"] = ["words": choices] as [String: any Sendable]
        // A whole link would find nothing, and its token would be in the address of this page.
        case "q":
            // Events' details too, which name who administered.
            field["hint"] = words("console_events", "text_hint")
            field["pattern"] = "(?!.*token=).*"
            field["pattern_title"] = words("console_events", "no_link")
        case "token_id", "sid", "request_id":
            field["pattern"] = #"[A-Za-z0-9_\-]*"#
            field["pattern_title"] = words("console_events", "id_only")
        case "sub": field["hint"] = words("console_events", "user_hint")
        case "type": field["list"] = list(AuditEventType.all.map(\.rawValue))
        case "client_id": field["list"] = list(clients)
        case "reason": field["list"] = list(RedemptionRefusal.allCases.map(\.rawValue))
        case "from", "to":
            field["input"] = "datetime-local"
            field["step"] = "1"
            // Browsers take an instant without its zone here; the form's is UTC.
            field["value"] = Timestamp(rfc3339: value).map { String($0.rfc3339.prefix(19)) } ?? String(value.prefix(19))
        default: break
        }
        return field
    }

    /// The log's words are what is asked for; what people read is that of the list's badge.
    private static func outcomes(_ words: ConsoleWords) -> KeyValuePairs<String, String> {
        ["success": words("console", "succeeded"), "failure": words("console", "failed")]
    }

    /// What a list is narrowed to, as its form says it.
    private static func filters(
        _ set: [(String, String)], of fields: [(String, String)], _ words: ConsoleWords
    ) -> [[String: any Sendable]] {
        fields.compactMap { name, label -> [String: any Sendable]? in
            guard let value = set.first(where: { $0.0 == name })?.1 else { return nil }
            let title = name == "outcome" ? outcomes(words).first { $0.key == value }?.value : nil
            return ["label": words("console_events", label), "value": title ?? value]
        }
    }

    @Sendable func search(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: AuditFilterReader.names.union(["cursor"]))
        let words = frame.words(request, context)
        var values: [String: any Sendable] = [:]
        var refusal: OAuthError?
        let set = Self.fields.compactMap { field in query[field.0].map { (field.0, $0) } }
        do {
            let filter = try AuditFilterReader.filter(query, isForm: true)
            let cursor = try AuditFilterReader.cursor(query)
            let storage = frame.services.storage
            let page = try await storage.search(filter, before: cursor, limit: Self.pageSize)
            if cursor == nil { try Self.check(filter.type, foundIn: page) }
            let names = try await ConsoleNames(of: page.records.compactMap(\.event.subject), in: storage)
            values["events"] = page.entries.map { ConsoleRows.event($0, words, names) }
            values["is_empty"] = page.entries.isEmpty
            if page.entries.isEmpty, cursor == nil { values["people"] = try await people(meantBy: set, words) }
            if let next = page.next {
                values["next_path"] = "\(ConsoleSection.events.path)?\(Self.query(set + [("cursor", next.text)]))"
            }
        } catch let error as OAuthError {
            refusal = error
            values.merge(Self.problem(error, in: Self.fields, words)) { $1 }
            values["is_empty"] = true
        }
        let clients = try await frame.services.clients.clients().map(\.id.rawValue)
        values["fields"] = Self.fields.map { name, label in
            Self.field(
                name, label, value: query[name] ?? "", refusal: refusal, clients: clients, words)
        }
        values["saved"] = Self.saved.map { name, search -> [String: any Sendable] in
            [
                "name": words("console_events", name), "path": "\(ConsoleSection.events.path)?\(search)",
                "is_current": search == Self.query(set),
            ]
        }
        let whole = set.map { name, value in
            ["from", "to"].contains(name) && !value.hasSuffix("Z")
                ? (name, value + (value.utf8.count == 16 ? ":00Z" : value.utf8.count == 19 ? "Z" : "")) : (name, value)
        }
        let filters = set.isEmpty ? "" : "?" + Self.query(whole)
        values["exports"] = [("csv", "CSV"), ("jsonl", "JSON Lines"), ("ocsf.jsonl", "OCSF")].map { ending, name in
            ["path": "/api/admin/audit-events.\(ending)\(filters)", "name": name]
        }
        values["is_filtered"] = !set.isEmpty
        values["filters"] = Self.filters(set, of: Self.fields, words)
        return frame.render(
            "events", values, section: .events, visit: visit, request, context, status: Self.status(of: refusal))
    }

    /// Users whom a search that found nothing may have named: events have their ids alone.
    private func people(
        meantBy set: [(String, String)], _ words: ConsoleWords
    ) async throws -> [[String: any Sendable]] {
        let named = set.first { $0.0 == "sub" } ?? set.first { $0.0 == "q" }
        guard let text = named?.1, !text.isEmpty else { return [] }
        let rest = set.filter { !["q", "sub"].contains($0.0) }
        let users = try await frame.services.storage.users(matching: text, after: nil, limit: Self.mostNamed).users
        return users.filter { $0.subject.rawValue != text }.map { user -> [String: any Sendable] in
            [
                "path": "\(ConsoleSection.events.path)?\(Self.query([("sub", user.subject.rawValue)] + rest))",
                "name": words("console_events", "events_of", ["name": user.shownName]),
            ]
        }
    }

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let log = frame.services.storage
        let words = frame.words(request, context)
        guard let entry = try await log.entry(id: AdminRequestReader.parameter("id", context)) else {
            throw OAuthError(.notFound)
        }
        var values: [String: any Sendable] = [
            "id": entry.id, "type": entry.value?.event.type.rawValue ?? "damaged",
            "facts": entry.value.map(Self.facts) ?? [], "is_intact": entry.value?.isIntact ?? true,
            "event_title": words("console_events", "event", ["id": entry.id]),
        ]
        values["damage"] = entry.damage.map { words("console_events", "overwritten", ["field": $0.field]) }
        let first = max(1, entry.sequence - Self.neighbours)
        let chain = try await log.entries(
            of: entry.node, in: first...(entry.sequence + Self.neighbours), limit: Int(Self.neighbours) * 2 + 1)
        values["chain"] = chain.map { neighbour -> [String: any Sendable] in
            var row = ConsoleRows.event(neighbour, words)
            let hash = (neighbour.value?.hash ?? neighbour.damage?.hash ?? "").prefix(12)
            row["hash"] = words("console_events", "hash", ["hash": String(hash)])
            row["is_this"] = neighbour.id == entry.id
            return row
        }
        if let record = entry.value, let id = record.event.requestID {
            var filter = AuditFilter()
            filter.requestID = id
            filter.from = record.event.at - .seconds(600)
            filter.to = record.event.at + .seconds(600)
            let found = try await log.search(filter, before: nil, limit: Self.pageSize).entries
            values["request"] = found.reversed().map { ConsoleRows.event($0, words) }
        }
        return frame.render("event", values, section: .events, visit: visit, request, context)
    }

    @Sendable func live(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: Set(Self.liveFields.map(\.0)))
        let set = Self.liveFields.compactMap { field in query[field.0].map { (field.0, $0) } }
        let stream = "/api/admin/audit-events/stream"
        let words = frame.words(request, context)
        var values: [String: any Sendable] = [
            "is_filtered": !set.isEmpty, "filters": Self.filters(set, of: Self.liveFields, words),
        ]
        var refusal: OAuthError?
        do {
            let filter = try AuditFilterReader.filter(query, isForm: true)
            let page = try await frame.services.storage.search(filter, before: nil, limit: 20)
            try Self.check(filter.type, foundIn: page)
            values["events"] = page.entries.map { ConsoleRows.event($0, words) }
            values["stream_path"] = set.isEmpty ? stream : "\(stream)?\(Self.query(set))"
        } catch let error as OAuthError {
            refusal = error
            values.merge(Self.problem(error, in: Self.liveFields, words)) { $1 }
        }
        let clients = try await frame.services.clients.clients().map(\.id.rawValue)
        values["fields"] = Self.liveFields.map { name, label in
            Self.field(
                name, label, value: query[name] ?? "", refusal: refusal, clients: clients, words)
        }
        return frame.render(
            "live", values, section: .live, visit: visit, request, context, status: Self.status(of: refusal))
    }

    /// A type of another version is known by what is found of it alone. Any other was mistyped: to be told that no event
    /// matches would be taken for an answer.
    private static func check(_ type: AuditEventType?, foundIn page: AuditPage) throws(OAuthError) {
        guard let type, page.entries.isEmpty, page.next == nil, !AuditEventType.all.contains(type) else { return }
        throw OAuthError(
            .invalidRequest, "type must be one that the log has, such as login_token.replayed", field: "type")
    }

    /// A refusal, with the name that the form has for the field in place of the API's.
    private static func problem(
        _ refusal: OAuthError, in fields: [(String, String)], _ words: ConsoleWords
    ) -> [String: any Sendable] {
        guard let problem = refusal.problems?.first,
            let (name, label) = fields.first(where: { $0.0 == problem.field })
        else { return ["problem": refusal.publicDescription ?? ErrorTable.description(of: refusal.code)] }
        return [
            "problem": String(problem.text.trimmingPrefix("\(name) ")),
            "problem_label": words("console_events", label),
        ]
    }

    /// A page that says what is wrong with a filter is not an answer to it.
    private static func status(of refusal: OAuthError?) -> HTTPResponse.Status {
        refusal.map { .init(code: $0.code.status) } ?? .ok
    }

    /// What the live view can be narrowed to.
    private static let liveFields = [
        ("type", "type"), ("outcome", "outcome"), ("sub", "user"), ("client_id", "client"), ("ip", "ip"),
    ]

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
            ("request_id", event.requestID, "request_id"), ("detail", event.detail, nil), ("actor", event.actor, "q"),
            ("node", record.node, nil), ("sequence", String(record.sequence), nil), ("hash", record.hash, nil),
            ("previous_hash", record.previousHash, nil),
        ]
        return facts.compactMap { name, value, parameter in
            guard let value else { return nil }
            var row: [String: any Sendable] = ["name": name, "value": value]
            row["path"] = parameter.map { "\(ConsoleSection.events.path)?\($0)=\(PercentEncoding.encode(value))" }
            return row
        }
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The first page: what happened in the last hours, drawn from counts by the minute.
struct ConsoleOverview: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: ConsolePath.home, "consoleOverview", show)
    ]

    let frame: ConsoleFrame

    /// A span of time and the width of its bars.
    private struct Span {
        let hours: Int
        /// The name in the catalogue.
        let name: String
        let minutesPerBar: Int64
    }

    private static let spans = [
        Span(hours: 1, name: "hour", minutesPerBar: 1), Span(hours: 6, name: "six_hours", minutesPerBar: 5),
        Span(hours: 24, name: "day", minutesPerBar: 15), Span(hours: 168, name: "week", minutesPerBar: 120),
    ]

    private static func span(_ hours: String?) throws -> Span {
        guard let hours else { return spans[0] }
        guard let span = spans.first(where: { String($0.hours) == hours }) else {
            let known = spans.map { String($0.hours) }.joined(separator: ", ")
            throw OAuthError(.invalidRequest, "hours must be one of \(known)")
        }
        return span
    }

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["hours"])
        let span = try Self.span(query["hours"])
        let axis = TimeAxis(
            end: frame.time.now(), bars: Int64(span.hours) * 60 / span.minutesPerBar, minutesPerBar: span.minutesPerBar)
        let storage = frame.services.storage
        let words = frame.words(request, context)
        func word(_ key: String) -> String { words("console_overview", key) }
        let tallies = try await storage.tallies(
            from: axis.start, to: axis.end, minutesPerBar: span.minutesPerBar)
        let samples = try await storage.samples(.webSessions, from: axis.start, to: axis.end)
        let live = try await storage.countLiveSessions(at: frame.time.now())
        var latest = AuditFilter()
        latest.outcome = .failure
        latest.from = axis.start
        let failures = try await storage.search(latest, before: nil, limit: 8).entries

        let series = Self.tokenSeries(tallies, along: axis, words)
        let sessions = ChartSeries(
            name: word("sessions"), style: "a", values: axis.lasts(samples.map { ($0.at, $0.value) }, now: live))
        let tokensChart = TimeChart(title: word("tokens"), axis: axis, series: series, words: words)
        let sessionsChart = TimeChart(title: word("web_sessions"), axis: axis, series: [sessions], words: words)
        let reasons = Self.reasons(tallies, from: axis.start, without: word("no_reason"))
        let values: [String: any Sendable] = [
            "spans": Self.spans.map { item -> [String: any Sendable] in
                ["hours": String(item.hours), "name": word(item.name), "is_current": item.hours == span.hours]
            },
            "numbers": Self.numbers(tallies, live: live, along: axis, words),
            "tokens_chart": tokensChart.svg, "tokens_table": tokensChart.table,
            "sessions_chart": sessionsChart.svg, "sessions_table": sessionsChart.table,
            "legend": series.map { ["name": $0.name, "style": $0.style] },
            "reasons_chart": BarTable(title: word("by_reason"), rows: reasons).html,
            "has_reasons": !reasons.isEmpty, "failures": failures.map { ConsoleRows.event($0, words) },
            "has_failures": !failures.isEmpty,
        ]
        return frame.render("overview", values, section: .overview, visit: visit, request, context)
    }

    /// What became of login tokens: issued, redeemed and refused.
    private static func tokenSeries(
        _ tallies: [AuditTally], along axis: TimeAxis, _ words: ConsoleWords
    ) -> [ChartSeries] {
        func series(_ name: String, style: String, _ types: Set<AuditEventType>) -> ChartSeries {
            let counts = tallies.filter { types.contains($0.type) }.map { ($0.at, $0.count) }
            return ChartSeries(name: words("console_overview", name), style: style, values: axis.sums(counts))
        }
        return [
            series("issued", style: "a", [.loginTokenIssued]),
            series("redeemed", style: "b", [.loginTokenRedeemed]),
            series("refused", style: "c", [.loginTokenRefused, .loginTokenReplayed]),
        ]
    }

    /// What the sums above the charts count, each with the colour of the line that it is part of.
    private static let counted: [(name: String, style: String, type: AuditEventType)] = [
        ("tokens_issued", "a", .loginTokenIssued), ("tokens_redeemed", "b", .loginTokenRedeemed),
        ("tokens_refused", "c", .loginTokenRefused), ("tokens_replayed", "c", .loginTokenReplayed),
    ]

    /// The sums above the charts, each with a search for what it counts.
    /// - Parameter live: web sessions at this moment.
    private static func numbers(
        _ tallies: [AuditTally], live: Int64, along axis: TimeAxis, _ words: ConsoleWords
    ) -> [[String: String]] {
        var numbers = counted.map { name, style, type -> [String: String] in
            let counts = tallies.filter { $0.type == type }.map { ($0.at, $0.count) }
            let query = ConsoleEvents.query([("type", type.rawValue), ("from", axis.start.rfc3339)])
            return [
                "name": words("console_overview", name), "style": style,
                "value": String(axis.sums(counts).reduce(0, TimeAxis.sum)),
                "path": "\(ConsoleSection.events.path)?\(query)",
            ]
        }
        numbers.append([
            "name": words("console_overview", "live_sessions"), "value": String(live), "style": "a",
            "path": ConsoleSection.sessions.path,
        ])
        return numbers
    }

    /// Failures by type and reason, the most frequent first.
    private static func reasons(
        _ tallies: [AuditTally], from start: Timestamp, without none: String
    ) -> [BarTable.Row] {
        struct Kind: Hashable {
            let type: AuditEventType
            let reason: String?
        }
        var counts: [Kind: Int64] = [:]
        for tally in tallies where tally.outcome == .failure {
            let kind = Kind(type: tally.type, reason: tally.reason)
            counts[kind] = TimeAxis.sum(counts[kind] ?? 0, tally.count)
        }
        let rows = counts.map { kind, count in
            // A search cannot ask for what has no reason.
            let path = kind.reason.map { reason in
                // What was counted instead of written is in the events that say so.
                let isWritten = reason != AuditTally.suppressedReason
                let query =
                    isWritten
                    ? [
                        ("outcome", "failure"), ("type", kind.type.rawValue), ("reason", reason),
                        ("from", start.rfc3339),
                    ] : [("type", AuditEventType.auditSuppressed.rawValue), ("from", start.rfc3339)]
                return "\(ConsoleSection.events.path)?\(ConsoleEvents.query(query))"
            }
            return BarTable.Row(name: "\(kind.type.rawValue): \(kind.reason ?? none)", path: path, count: count)
        }
        return Array(rows.sorted { ($1.count, $0.name) < ($0.count, $1.name) }.prefix(10))
    }
}

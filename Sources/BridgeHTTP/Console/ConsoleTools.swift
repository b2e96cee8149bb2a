import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Keys, settings and nodes.
struct ConsoleTools: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/keys", "consoleKeys", keys),
        Route(form: "/admin/keys/rotate", "consoleRotateKeys", rotate).says("rotate_now", in: "console_keys"),
        Route(form: "/admin/keys/{kid}/retire", "consoleRetireKey", retire)
            .says("retire_now", in: "console_keys", about: ("console_keys", "key")),
        Route(page: "/admin/settings", "consoleSettings", settings),
        Route(page: "/admin/nodes", "consoleNodes", nodes),
        Route(form: "/admin/nodes/verify", "consoleVerify", for: .ask, verify),
        Route(form: "/admin/alerts/acknowledge", "consoleAcknowledge", acknowledge).says("alert_seen", in: "console"),
    ]

    let frame: ConsoleFrame
    /// At this node; another node's page knows nothing of it.
    let verification = AuditVerificationJob()

    @Sendable func keys(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["sort", ConsoleFrame.doneName])
        let order = try KeyOrder.asked(in: query)
        let now = frame.time.now()
        let words = frame.words(request, context)
        let found = try await frame.services.keys.keys()
        let keys = (order?.sort(found) ?? found).map { key -> [String: any Sendable] in
            var row: [String: any Sendable] = [
                "id": key.id, "use": key.use.rawValue, "algorithm": key.algorithm.rawValue,
                "state": words("console_keys", key.state.rawValue),
                "is_signing": key.state == .signing, "since": ConsoleRows.instant(key.signsFrom),
                "age": Self.age(now - key.signsFrom, words),
                "retire_question": words("console_keys", "retire_question", ["id": key.id]),
            ]
            row["until"] = (key.withdrawnAt ?? key.retiresAt).map(ConsoleRows.instant)
            row["is_retired_at_once"] = key.withdrawnAt != nil
            row["consequences"] = key.consequences.map { words("console_keys", "effect_\($0.rawValue)") }
            row["can_retire"] = key.state != .retired
            row["path"] = "\(ConsoleSection.keys.path)/\(PercentEncoding.encode(key.id))/retire"
            return row
        }
        return frame.render(
            "keys",
            [
                "keys": keys, "count": words.count(keys.count), "columns": KeyOrder.columns(by: order, words),
                "is_done": ConsoleFrame.saysDone(query),
            ], section: .keys, visit: visit, request, context)
    }

    @Sendable func rotate(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let action = try frame.action(fields, request, context, visit)
        try await frame.services.gate.requireFreshSignIn(visit, request, context)
        try await frame.services.keys.rotate(action: action)
        return frame.redirect(to: ConsoleSection.keys.path, isDone: true)
    }

    @Sendable func retire(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let id = try AdminRequestReader.parameter("kid", context)
        let action = try frame.action(fields, request, context, visit)
        try await frame.services.gate.requireFreshSignIn(visit, request, context)
        guard let retirement = try await frame.services.keys.retire(id, action: action) else {
            throw OAuthError(.notFound)
        }
        return frame.redirect(to: ConsoleSection.keys.path, isDone: !retirement.retired.isEmpty)
    }

    @Sendable func settings(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let lines = frame.services.node.settings().map { ["name": $0.name, "value": $0.value] }
        let hint = frame.words(request, context)("console_settings", "hint", ["command": "drawbridge check-config"])
        return frame.render(
            "settings", ["settings": lines, "has_provider": frame.device != nil, "hint": hint], section: .settings,
            visit: visit, request, context)
    }

    @Sendable func nodes(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["verify", "sort"])
        let order = try ChainOrder.asked(in: query) ?? .node
        let health = await frame.services.node.health()
        let words = frame.words(request, context)
        let log = frame.services.storage
        var found: [ChainOrder.Chain] = []
        for head in try await log.chains() {
            let last = try await log.entries(of: head.node, in: head.sequence...head.sequence, limit: 1).first
            found.append(ChainOrder.Chain(head: head, last: last?.at))
        }
        let chains = order.sort(found).map { chain -> [String: any Sendable] in
            var row: [String: any Sendable] = [
                "node": chain.head.node, "events": String(chain.head.sequence),
                "hash": String(chain.head.hash.prefix(12)),
            ]
            row["last"] = chain.last.map(ConsoleRows.instant)
            return row
        }
        var values: [String: any Sendable] = [
            "node": health.node, "version": health.version, "started": ConsoleRows.instant(health.startedAt),
            "is_ready": health.failed.isEmpty, "failed": health.failed,
            "degraded": health.degraded.map { words("console_nodes", "degraded", ["name": $0]) },
            "chains": chains, "count": words.count(chains.count),
            "columns": ChainOrder.columns(by: order, keeping: query["verify"] == nil ? "" : "verify=1&", words),
            "this_node": words("console_nodes", "this_node", ["node": health.node]),
        ]
        switch verification.state {
        case .none: break
        case .running(let read, let total):
            values["is_verifying"] = true
            values["progress"] = String(read)
            values["total"] = String(max(total, read))
            values["verifying_facts"] = words(
                "console_nodes", "verifying_facts", ["count": String(read), "total": String(max(total, read))])
        case .failed(let reason):
            values["has_stopped"] = true
            values["stop_reason"] = reason
        case .done(let report, let at): values.merge(Self.report(report, at: at, words)) { $1 }
        }
        return frame.render("nodes", values, section: .nodes, visit: visit, request, context)
    }

    private static func report(
        _ report: AuditVerificationReport, at: Timestamp, _ words: ConsoleWords
    ) -> [String: any Sendable] {
        [
            "is_verified": true, "is_valid": report.isValid,
            "verified_facts": words(
                "console_nodes", "verified",
                [
                    "events": String(report.events), "checkpoints": String(report.checkpoints),
                    "kept": String(report.kept), "at": ConsoleRows.time(at),
                ]),
            "problems": report.problems.prefix(50).map { problem -> [String: any Sendable] in
                var row: [String: any Sendable] = ["id": problem.whereabouts, "kind": problem.kind.rawValue]
                row["field"] = problem.field
                return row
            },
            "cuts": report.cuts.suffix(50).reversed().map { cut($0, words) }, "has_cuts": !report.cuts.isEmpty,
        ]
    }

    /// Starts a verification that goes on by itself; one at a time.
    @Sendable func verify(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let log = frame.services.storage
        let total = try await log.chains().eventTotal
        verification.start(
            log, terms: try frame.services.node.auditTerms(), total: total, time: frame.time, logger: context.logger)
        return frame.redirect(to: "\(ConsoleSection.nodes.path)?verify=1")
    }

    @Sendable func acknowledge(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        guard let name = fields["alert"].flatMap(AlertRule.Name.init(rawValue:)) else {
            throw OAuthError(.invalidRequest, "alert is missing")
        }
        let action = try frame.action(fields, request, context, visit)
        if frame.services.node.alerts.acknowledge(name) {
            try await frame.services.storage.append([
                action.event(.alertAcknowledged, facts: ["alert": name.rawValue])
            ])
        }
        return frame.redirect(to: ConsolePath.checked(fields["next"]) ?? ConsolePath.home)
    }

    private static func cut(_ cut: AuditCut, _ words: ConsoleWords) -> [String: any Sendable] {
        [
            "node": cut.node, "through": String(cut.through), "at": ConsoleRows.instant(cut.at),
            "retention": words("console_keys", "days", ["count": String(cut.retention.components.seconds / 86_400)]),
            "is_adopted": cut.isAdopted,
        ]
    }

    private static func age(_ duration: Duration, _ words: ConsoleWords) -> String {
        let minutes = max(0, duration.inMilliseconds / 60_000)
        let (key, count) =
            minutes < 120 ? ("minutes", minutes) : minutes < 2880 ? ("hours", minutes / 60) : ("days", minutes / 1440)
        return words("console_keys", key, ["count": String(count)])
    }
}

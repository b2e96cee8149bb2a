import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The explain box, keys, settings and nodes.
struct ConsoleTools: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/explain", "consoleExplain", explain),
        Route(form: "/admin/explain", "consoleAnswer", for: .ask, answer),
        Route(page: "/admin/keys", "consoleKeys", keys),
        Route(form: "/admin/keys/rotate", "consoleRotateKeys", rotate),
        Route(form: "/admin/keys/{kid}/retire", "consoleRetireKey", retire),
        Route(page: "/admin/settings", "consoleSettings", settings),
        Route(page: "/admin/nodes", "consoleNodes", nodes),
        Route(form: "/admin/nodes/verify", "consoleVerify", for: .ask, verify),
        Route(form: "/admin/alerts/acknowledge", "consoleAcknowledge", acknowledge),
    ]

    let frame: ConsoleFrame
    /// At this node; another node's page knows nothing of it.
    let verification = AuditVerificationJob()

    @Sendable func explain(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        frame.render("explain", try await clientChoice(nil), section: .explain, visit: visit, request, context)
    }

    @Sendable func answer(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let explanation: Explanation
        // A token is a secret: it is not shown again.
        var values = try await clientChoice(fields["client_id"])
        values["redirect"] = fields["redirect"] ?? ""
        if let bearer = fields["bearer"] {
            values = try await clientChoice(fields["target"])
            explanation = try await frame.bearers.explain(
                Secret(bearer), opening: fields["target"].map(ClientID.init(rawValue:)), in: frame.kit.clients.current,
                users: frame.services.storage)
        } else if fields["subject_token"] != nil {
            guard let exchange = frame.device?.exchange.inquiry else { throw OAuthError(.notFound) }
            explanation = try await exchange.explain(fields, origin: context.origin(of: request), at: frame.time.now())
        } else if let token = fields["token"] {
            explanation = try await frame.services.explainer.redemption(
                Secret(token), redirect: fields.bytes("redirect"), address: fields["ip"].flatMap { NetworkAddress($0) })
        } else {
            explanation = frame.services.explainer.redirect(
                fields.bytes("redirect") ?? [], client: ClientID(rawValue: fields["client_id"] ?? ""))
        }
        values["is_answered"] = true
        values["passes"] = explanation.passes
        values["reason"] = explanation.reason
        values["rule"] = explanation.rule
        values["steps"] = explanation.steps.map { ["check": $0.check, "outcome": $0.outcome] }
        values["is_foreign"] = frame.words(request, context).language != "en"
        return frame.render("explain", values, section: .explain, visit: visit, request, context)
    }

    @Sendable func keys(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let now = frame.time.now()
        let words = frame.words(request, context)
        let keys = try await frame.services.keys.keys().map { key -> [String: any Sendable] in
            var row: [String: any Sendable] = [
                "id": key.id, "use": key.use, "algorithm": key.algorithm.rawValue,
                "state": words("console_keys", key.state.rawValue),
                "is_signing": key.state == .signing, "since": ConsoleRows.time(key.signsFrom),
                "age": Self.age(now - key.signsFrom, words),
                "retire_question": words("console_keys", "retire_question", ["id": key.id]),
            ]
            row["until"] = (key.withdrawnAt ?? key.retiresAt).map(ConsoleRows.time)
            row["is_retired_at_once"] = key.withdrawnAt != nil
            row["consequences"] = key.consequences.map { words("console_keys", "effect_\($0.rawValue)") }
            row["can_retire"] = key.state != .retired
            row["path"] = "\(ConsoleSection.keys.path)/\(PercentEncoding.encode(key.id))/retire"
            return row
        }
        return frame.render(
            "keys", ["keys": keys, "count": words.count(keys.count)], section: .keys, visit: visit, request, context)
    }

    @Sendable func rotate(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        try await frame.services.keys.rotate(action: try frame.action(fields, request, context, visit))
        return frame.redirect(to: ConsoleSection.keys.path)
    }

    @Sendable func retire(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let id = try AdminRequestReader.parameter("kid", context)
        let action = try frame.action(fields, request, context, visit)
        guard try await frame.services.keys.retire(id, action: action) != nil else { throw OAuthError(.notFound) }
        return frame.redirect(to: ConsoleSection.keys.path)
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
        _ = try AdminRequestReader.query(request, knowing: ["verify"])
        let health = await frame.services.node.health()
        let words = frame.words(request, context)
        let log = frame.services.storage
        var chains: [[String: any Sendable]] = []
        for head in try await log.chains() {
            let last = try await log.entries(of: head.node, in: head.sequence...head.sequence, limit: 1).first
            chains.append([
                "node": head.node, "events": String(head.sequence),
                "last": last?.at.map { ConsoleRows.time($0) } ?? "", "hash": String(head.hash.prefix(12)),
            ])
        }
        var values: [String: any Sendable] = [
            "node": health.node, "version": health.version, "started": ConsoleRows.time(health.startedAt),
            "is_ready": health.failed.isEmpty, "failed": health.failed,
            "degraded": health.degraded.map { words("console_nodes", "degraded", ["name": $0]) },
            "chains": chains, "this_node": words("console_nodes", "this_node", ["node": health.node]),
        ]
        switch verification.state {
        case .none: break
        case .running(let read, let total):
            values["is_verifying"] = true
            values["progress"] = String(read)
            values["total"] = String(max(total, read))
            values["verifying_facts"] = words(
                "console_nodes", "verifying_facts", ["count": String(read), "total": String(max(total, read))])
        case .failed: values["has_stopped"] = true
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
                var row: [String: any Sendable] = ["id": problem.id, "kind": problem.kind.rawValue]
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
        let total = try await log.chains().reduce(0) { $0 + Int($1.sequence) }
        verification.start(log, terms: frame.services.node.auditTerms(), total: total, time: frame.time)
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

    private func clientChoice(_ chosen: String?) async throws -> [String: any Sendable] {
        let clients = try await frame.services.clients.clients()
        func rows(_ clients: [Client]) -> [[String: any Sendable]] {
            clients.map { ["id": $0.id.rawValue, "is_chosen": $0.id.rawValue == chosen] }
        }
        let exchanging = clients.filter { $0.grantTypes.contains(.tokenExchange) }
        return [
            "clients": rows(clients.filter { $0.kind == .web }), "exchanging": rows(exchanging),
            "can_exchange": frame.device != nil && !exchanging.isEmpty, "audience": frame.issuer.description,
        ]
    }

    private static func cut(_ cut: AuditCut, _ words: ConsoleWords) -> [String: any Sendable] {
        [
            "node": cut.node, "through": String(cut.through), "at": ConsoleRows.time(cut.at),
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

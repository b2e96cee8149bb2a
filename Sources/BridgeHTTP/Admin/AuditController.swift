import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `GET /api/admin/audit-events…`: search, export, verification (contract §8).
struct AuditController: AdministratorGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/api/admin/audit-events", "searchAudit", as: .json, .administrator, search),
        Route(
            .get, "/api/admin/audit-events.csv", "exportAuditCsv", as: .json, .administrator(for: .take),
            exports(.csv)),
        Route(
            .get, "/api/admin/audit-events.jsonl", "exportAuditLines", as: .json, .administrator(for: .take),
            exports(.jsonLines)),
        Route(
            .get, "/api/admin/audit-events.ocsf.jsonl", "exportAuditOcsf", as: .json, .administrator(for: .take),
            exports(.ocsf)),
        Route(.get, "/api/admin/audit-events/{id}", "auditEvent", as: .json, .administrator, show),
        Route(.get, "/api/admin/audit/verify", "verifyAudit", as: .json, .administrator(for: .take), verify),
    ]

    let gate: AdminGate
    let log: any AuditLog
    let terms: @Sendable () throws -> AuditVerificationTerms

    /// Events of one export; one without a limit has all.
    private static let exportLimits = 1...1_000_000

    @Sendable func search(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        let query = try AdminRequestReader.query(
            request, knowing: AuditFilterReader.names.union(["cursor", "limit"]))
        let page = try await log.search(
            AuditFilterReader.filter(query), before: AuditFilterReader.cursor(query),
            limit: AdminRequestReader.limit(query))
        return .list(page.entries.map(\.json), next: page.next?.text)
    }

    @Sendable func show(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        _ = try AdminRequestReader.query(request, knowing: [])
        guard let entry = try await log.entry(id: AdminRequestReader.parameter("id", context)) else {
            throw OAuthError(.notFound)
        }
        return .json(bytes: entry.json)
    }

    @Sendable func verify(_ request: Request, context: BridgeRequestContext, administrator: AdminVisit) async throws
        -> Response
    {
        // Whoever asks for another check than this one must not take the answer for its result.
        _ = try AdminRequestReader.query(request, knowing: [])
        let report = try await AuditReview(log).verify(try terms())
        return .json(bytes: Array(report.json.utf8))
    }

    /// Exports in one format.
    private static func exports(
        _ format: AuditExport.Format
    ) -> @Sendable (Self) -> RouteGuard<Self, AdminVisit>.Guarded {
        { controller in
            { request, context, visit in try await controller.export(format, request, context, visit) }
        }
    }

    /// Sent as it is read.
    private func export(
        _ format: AuditExport.Format, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: AuditFilterReader.names.union(["limit"]))
        let limit = try AdminRequestReader.limit(query, within: Self.exportLimits)
        let filter = try AuditFilterReader.filter(query)
        // An answer to HEAD takes nothing out of the log.
        if request.method != .head {
            let action = AdminRequestReader.action(visit, request, context, at: gate.time.now())
            try await log.append([action.event(.auditExported, facts: Self.facts(of: format, query))])
        }
        let export = AuditExport(log)
        return Response(
            status: .ok, headers: Self.headers(of: format),
            body: ResponseBody { writer in
                try await export.write(matching: filter, upTo: limit, as: format) {
                    try await writer.write(ByteBuffer(bytes: $0))
                }
                try await writer.finish(nil)
            })
    }

    /// What was taken out of the log. What is searched for may be a secret that leaked.
    private static func facts(of format: AuditExport.Format, _ query: FormParameters) -> [String: String] {
        var facts = ["format": format.rawValue]
        facts["limit"] = query["limit"]
        for name in AuditFilterReader.names {
            facts["filter_\(name)"] = query[name].map { StrayedSecret.redacting($0) }
        }
        return facts
    }

    private static func headers(of format: AuditExport.Format) -> HTTPFields {
        let type =
            switch format {
            case .csv: "text/csv; charset=utf-8; header=present"
            case .jsonLines, .ocsf: "application/jsonl"
            }
        return [
            .contentType: type, .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"audit-events.\(format.rawValue)\"",
        ]
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `GET /api/admin/audit-events…`: search, export, verification (contract §8).
struct AuditController: Sendable {
    let gate: AdminGate
    let log: any AuditLog
    let terms: @Sendable () -> AuditVerificationTerms

    @Sendable func search(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        _ = try await gate.admit(request, context)
        let query = try AdminRequestReader.query(
            request, knowing: AuditFilterReader.names.union(["cursor", "limit"]))
        let page = try await log.search(
            AuditFilterReader.filter(query), before: AuditFilterReader.cursor(query),
            limit: AdminRequestReader.limit(query))
        return .list(page.entries.map(\.json), next: page.next?.text)
    }

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        _ = try await gate.admit(request, context)
        guard let entry = try await log.entry(id: AdminRequestReader.parameter("id", context)) else {
            throw OAuthError(.notFound)
        }
        return .json(bytes: entry.json)
    }

    @Sendable func verify(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        _ = try await gate.admit(request, context)
        let report = try await AuditReview(log).verify(terms())
        return .json(bytes: Array(report.json.utf8))
    }

    /// An export in one format, sent as it is read.
    func export(_ format: AuditExport.Format) -> Handler {
        { request, context in
            let visit = try await gate.admit(request, context)
            let query = try AdminRequestReader.query(request, knowing: AuditFilterReader.names)
            let filter = try AuditFilterReader.filter(query)
            let action = AdminRequestReader.action(visit, request, context, at: gate.time.now())
            try await log.append([action.event(.auditExported, facts: ["format": format.rawValue])])
            let export = AuditExport(log)
            return Response(
                status: .ok, headers: Self.headers(of: format),
                body: ResponseBody { writer in
                    if filter == AuditFilter() {
                        try await export.writeAll(as: format) { try await writer.write(ByteBuffer(bytes: $0)) }
                    } else {
                        try await export.write(matching: filter, as: format) {
                            try await writer.write(ByteBuffer(bytes: $0))
                        }
                    }
                    try await writer.finish(nil)
                })
        }
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

extension Response {
    /// JSON that is written already.
    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

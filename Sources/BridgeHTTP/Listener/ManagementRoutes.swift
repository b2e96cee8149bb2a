import Bridge
package import Hummingbird
import HTTPTypes
import NIOCore
import OAuth2

/// The management listener: `/livez`, `/readyz`, `/metrics` (contract §13). Not for the public.
package func buildManagementRouter(readiness: Readiness, metrics: PrometheusMetrics) -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    router.add(middleware: ManagementHeaders())
    router.get("/livez") { _, _ in
        var body = JSONObjectWriter()
        body.add("status", "alive")
        return Response.json(body)
    }
    router.get("/readyz") { _, _ in
        let report = await readiness.report()
        var checks = JSONObjectWriter()
        for name in readiness.names {
            let isDegraded = report.degraded.contains(name)
            checks.add(name, report.failed.contains(name) ? "failed" : isDegraded ? "degraded" : "ok")
        }
        var body = JSONObjectWriter()
        body.add("status", report.isReady ? "ready" : "not_ready")
        body.add("checks", json: checks)
        body.add("degraded", report.degraded)
        return Response.json(
            body, status: report.isReady ? .ok : .init(code: ErrorCode.temporarilyUnavailable.status))
    }
    router.get("/metrics") { _, _ in
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: metrics.exposition())))
    }
    return router
}

/// The header fields that every answer has (contract §11), the router's own among them.
private struct ManagementHeaders: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        }
        response.headers[.xRequestID] = RequestID.make(at: TimeSource.system.now(), random: .system)
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}

package import Bridge
package import Hummingbird
import HTTPTypes
import NIOCore
import OAuth2

/// The management listener: `/livez`, `/readyz`, `/metrics` (contract §13). Not for the public.
/// - Parameters:
///   - issuer: where the codes of errors are explained.
///   - time: of the request ids, as `random` is.
///   - refreshMetrics: runs before each page of metrics, which waits for it, for what only a use would show otherwise.
package func buildManagementRouter(
    readiness: Readiness, metrics: PrometheusMetrics, issuer: WebOrigin, time: TimeSource = .system,
    random: RandomSource = .system,
    refreshMetrics: @escaping @Sendable () async -> Void = {}
) -> Router<BridgeRequestContext> {
    let router = Router(context: BridgeRequestContext.self)
    router.add(middleware: ManagementFront(issuer: issuer, time: time, random: random))
    let pages = ManagementPages(readiness: readiness, metrics: metrics, refreshMetrics: refreshMetrics)
    let endpoints = Endpoints(router: router)
    endpoints.on("/livez", [.get: pages.alive])
    endpoints.on("/readyz", [.get: pages.ready])
    endpoints.on("/metrics", [.get: pages.exposition])
    return router
}

private struct ManagementPages: Sendable {
    let readiness: Readiness
    let metrics: PrometheusMetrics
    let refreshMetrics: @Sendable () async -> Void

    @Sendable func alive(_ request: Request, context: BridgeRequestContext) -> Response {
        var body = JSONObjectWriter()
        body.add("status", "alive")
        return Response.json(body)
    }

    @Sendable func ready(_ request: Request, context: BridgeRequestContext) async -> Response {
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
        guard report.isReady else {
            var response = Response.json(body, status: .init(code: ErrorCode.temporarilyUnavailable.status))
            response.headers[.retryAfter] = String(ErrorTable.storageRetryAfter)
            return response
        }
        return Response.json(body)
    }

    @Sendable func exposition(_ request: Request, context: BridgeRequestContext) async -> Response {
        await refreshMetrics()
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: metrics.exposition())))
    }
}

/// The bodies of errors, and the header fields that every answer has (contract §11), the router's own among them.
private struct ManagementFront: RouterMiddleware {
    typealias Context = BridgeRequestContext

    let issuer: WebOrigin
    let time: TimeSource
    let random: RandomSource

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let requestID = RequestID.make(at: time.now(), random: random)
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let answer = ErrorTable.answer(to: error)
            response = .json(
                ErrorResponder.body(answer.error, issuer: issuer, requestID: requestID),
                status: .init(code: answer.status))
            response.headers.append(contentsOf: answer.headers)
        }
        // As on the public listener: no client reads content after HEAD (RFC 9110 §9.3.2).
        if request.method == .head { response = response.withoutContent }
        response.headers[.xRequestID] = requestID
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}

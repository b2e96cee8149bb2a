import Bridge
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import OAuth2
import Synchronization
import Tracing

/// The one layer around every route: request id, client address, error mapping, common headers, access log, metrics.
///
/// One layer and not six, because each costs an existential call and a closure on routes that take 30 µs in all.
final class FrontMiddleware: RouterMiddleware {
    typealias Context = BridgeRequestContext

    let clientAddress: ClientAddress
    let errors: ErrorResponder
    let accessLog: AccessLog
    let metrics: RequestMetrics
    let time: TimeSource
    let random: RandomSource
    /// The value of `Strict-Transport-Security`; `nil` on plain HTTP.
    let strictTransportSecurity: String?
    /// `nil` offers no DPoP.
    let proofs: DPoPVerifier?
    /// `nil` where nobody changes them.
    let keys: SigningKeys?
    /// `nil` records nothing.
    let recorder: SpanRecorder?
    private let hasToldOfProxy = Atomic(false)

    init(
        clientAddress: ClientAddress, errors: ErrorResponder, accessLog: AccessLog, metrics: RequestMetrics,
        time: TimeSource, random: RandomSource, strictTransportSecurity: String?, proofs: DPoPVerifier?,
        keys: SigningKeys?, recorder: SpanRecorder?
    ) {
        self.clientAddress = clientAddress
        self.errors = errors
        self.accessLog = accessLog
        self.metrics = metrics
        self.time = time
        self.random = random
        self.strictTransportSecurity = strictTransportSecurity
        self.proofs = proofs
        self.keys = keys
        self.recorder = recorder
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let started = time.uptime()
        var context = context
        context.identify(as: requestID(of: request, peer: context.peer))
        let client = clientAddress.resolve(peer: context.peer, headers: request.headers)
        if client.isProxyUnreadable { tellOfProxy(context.logger) }
        context.address = client.address
        await keys?.beCurrent()
        let caller = caller(of: request, peer: context.peer)
        let span = recorder?.request(continuing: caller, method: RequestMetrics.name(of: request.method))
        let trace = span?.trace ?? caller?.child(random: random)
        var response: Response
        do {
            // Outside a trace nothing is paid for one.
            response =
                if let trace {
                    try await InstrumentationContext.$current.withValue(
                        span?.context ?? InstrumentationContext(passingOn: trace)
                    ) { try await next(request, context) }
                } else {
                    try await next(request, context)
                }
        } catch {
            response = await errors.response(to: error, request: request, context: context)
        }
        // Of a refusal as well: no client reads content after HEAD, and it would be taken for the beginning of the next
        // answer (RFC 9110 §9.3.2).
        if request.method == .head { response = response.withoutContent }
        response.headers[.xRequestID] = context.requestID
        response.headers[.xContentTypeOptions] = "nosniff"
        if let strictTransportSecurity { response.headers[.strictTransportSecurity] = strictTransportSecurity }

        // Whoever makes proofs always holds a fresh nonce, the first time without asking (RFC 9449 §8.2).
        if request.headers.contains(.dpop), let proofs { response.headers[.dpopNonce] = proofs.nonce(at: time.now()) }

        let elapsed = started.duration(to: time.uptime())
        let route = RouteLabel.of(context.endpointPath)
        metrics.record(route: route, method: request.method, status: response.status.code, elapsed: elapsed)
        accessLog.write(
            at: time.now(), route: route, method: request.method.rawValue, status: response.status.code,
            elapsed: elapsed, requestID: context.requestID, address: context.address, trace: trace)
        span?.endRequest(request.method, route: route, status: response.status.code, requestID: context.requestID)
        return response
    }

    /// Once: a proxy that writes such an entry writes it into every request. The entry itself is not told; it may be
    /// what a visitor wrote.
    private func tellOfProxy(_ logger: Logger) {
        guard !hasToldOfProxy.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            "a trusted proxy's entry in X-Forwarded-For is not an address; the proxy's own stands for its visitors")
    }

    /// An id is adopted only from a proxy that we trust, and only if it is plain: it ends up in logs and pages.
    private func requestID(of request: Request, peer: NetworkAddress?) -> String {
        if clientAddress.isTrusted(peer), let given = request.headers.value(of: .xRequestID), Self.isPlain(given) {
            return given
        }
        return RequestID.make(at: time.now(), random: random)
    }

    /// Adopted like an id: it ends up in logs, and a stranger could write into somebody's trace.
    private func caller(of request: Request, peer: NetworkAddress?) -> TraceContext? {
        guard let text = request.headers.value(of: .traceparent), clientAddress.isTrusted(peer) else { return nil }
        return TraceContext(traceparent: text)
    }

    private static func isPlain(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy(ASCII.isNameByte)
    }
}

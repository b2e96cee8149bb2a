import CoreMetrics
import HTTPTypes
import Synchronization

/// How long requests take, by route template, method and status: all three from small sets.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private let factory: any MetricsFactory
    private let timers = Mutex<[Key: CoreMetrics.Timer]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func record(route: String, method: HTTPRequest.Method, status: Int, elapsed: Duration) {
        let key = Key(route: route, method: Self.name(of: method), status: status)
        let timer = timers.withLock { timers in
            if let timer = timers[key] { return timer }
            let timer = CoreMetrics.Timer(
                label: "drawbridge_http_request_duration_seconds",
                dimensions: [("route", route), ("method", key.method), ("status", String(status))], factory: factory)
            timers[key] = timer
            return timer
        }
        timer.recordNanoseconds(
            elapsed.components.seconds * 1_000_000_000 + elapsed.components.attoseconds / 1_000_000_000)
    }

    // The method is the client's own word, so only known ones become a label.
    static func name(of method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .put, .delete, .patch, .options: method.rawValue
        default: "other"
        }
    }
}

import Bridge
import HTTPTypes
import Tracing

extension RecordedSpan {
    /// Ends the span of a request, under its route's template: neither the path that was asked for nor its query is told.
    func endRequest(_ method: HTTPRequest.Method, route: String, status: Int, requestID: String) {
        let method = RequestMetrics.name(of: method)
        operationName = "\(method) \(route)"
        note(.method, method)
        note(.route, route)
        note(.status, status)
        note(.requestID, requestID)
        if status >= 500 { fail() }
        end()
    }
}

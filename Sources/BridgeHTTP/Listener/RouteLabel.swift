/// The name of a route in log lines and metrics: its template, never the path that was asked for.
enum RouteLabel {
    static let unmatched = "unmatched"
    /// Of what is no request.
    static let malformed = "malformed"

    static func of(_ endpointPath: String?) -> String {
        // Hummingbird writes this word where a template would stand.
        guard let endpointPath, endpointPath != "NotFound" else { return unmatched }
        return endpointPath
    }
}

/// The name of a route in log lines and metrics: its template, never the path that was asked for.
enum RouteLabel {
    static let unmatched = "unmatched"
    /// The label of what is not a request.
    static let malformed = "malformed"

    static func of(_ endpointPath: String?) -> String {
        // Hummingbird's own word where there is no template.
        guard let endpointPath, endpointPath != "NotFound" else { return unmatched }
        return endpointPath
    }
}

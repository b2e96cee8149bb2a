import HTTPTypes
import Hummingbird

/// Whether an error is shown to a person, a program, or a proxy that wants the status alone.
enum ErrorShape: Hashable, Sendable {
    case page
    case json
    case nothing
}

struct ErrorShapes: Sendable {
    /// Routes whose visitors are browsers, whatever their `Accept` says.
    let pageRoutes: Set<String>
    /// Routes that never have a body (contract §6).
    let silentRoutes: Set<String>
    /// Routes whose visitors are programs, whatever their `Accept` says: Java's own HTTP client asks for `text/html`.
    let programRoutes: Set<String>

    func shape(for request: Request, route: String?) -> ErrorShape {
        if let route {
            if silentRoutes.contains(route) { return .nothing }
            if pageRoutes.contains(route) { return .page }
            if programRoutes.contains(route) { return .json }
        }
        guard !request.uri.path.hasPrefix("/api/") else { return .json }
        return request.headers[.accept]?.contains("text/html") == true ? .page : .json
    }
}

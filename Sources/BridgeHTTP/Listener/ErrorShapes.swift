import HTTPTypes
import Hummingbird

/// How errors look, by path and method.
struct ErrorShapes: Sendable {
    /// The shapes that routes declare, by route.
    let declared: [String: OfPath]

    func shape(for request: Request, route: String?) -> ErrorShape {
        if let route, let shape = declared[route]?.shape(of: request.method), shape != .negotiated { return shape }
        guard !request.uri.path.hasPrefix("/api/") else { return .json }
        return request.acceptsPage || (route != nil && isVisit(request)) ? .page : .json
    }

    /// Whether a browser goes to a page, in a request that does not say what it accepts.
    private func isVisit(_ request: Request) -> Bool {
        request.method == .get && !request.headers.contains(.accept)
            && FetchMetadata.isDocumentNavigation(request.headers)
    }

    /// Of one path: what people look at by `GET`, a script may `POST` to.
    struct OfPath: Sendable {
        private var get: ErrorShape?
        private var others: ErrorShape?

        mutating func add(_ route: RouteDeclaration) {
            if route.method == .get { get = route.shape } else { others = route.shape }
        }

        func shape(of method: HTTPRequest.Method) -> ErrorShape? {
            [.get, .head].contains(method) ? get ?? others : others ?? get
        }
    }
}

import HTTPTypes
import Hummingbird

/// How errors look, by path and method.
struct ErrorShapes: Sendable {
    /// The shapes that routes declare, by route.
    let declared: [String: OfPath]

    func shape(for request: Request, route: String?) -> ErrorShape {
        let isAPI = request.uri.path.hasPrefix("/api/")
        // Some pages are there to be looked at; whoever sends anything is a program.
        if isAPI, ![.get, .head].contains(request.method) { return .json }
        if let route, let shape = declared[route]?.shape(of: request.method), shape != .negotiated { return shape }
        guard !isAPI else { return .json }
        return request.acceptsPage || (route != nil && isVisit(request)) ? .page : .json
    }

    /// What a store that is away keeps from a visitor.
    func unavailable(at route: String?) -> Unavailable {
        route.flatMap { declared[$0]?.unavailable } ?? .page
    }

    /// Whether a browser goes to a page, in a request that does not say what it accepts.
    private func isVisit(_ request: Request) -> Bool {
        request.method == .get && !request.headers.contains(.accept)
            && FetchMetadata.isDocumentNavigation(request.headers)
    }

    /// The shapes of one path: what people look at by `GET`, a script may `POST` to.
    struct OfPath: Sendable {
        private var get: ErrorShape?
        private var others: ErrorShape?
        private(set) var unavailable = Unavailable.page

        mutating func add(_ route: RouteDeclaration) {
            if route.method == .get { get = route.shape } else { others = route.shape }
            unavailable = route.unavailable
        }

        func shape(of method: HTTPRequest.Method) -> ErrorShape? {
            [.get, .head].contains(method) ? get ?? others : others ?? get
        }
    }
}

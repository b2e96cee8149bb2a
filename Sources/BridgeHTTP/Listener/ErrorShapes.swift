import Hummingbird

struct ErrorShapes: Sendable {
    /// By route.
    let declared: [String: ErrorShape]

    func shape(for request: Request, route: String?) -> ErrorShape {
        if let route, let shape = declared[route], shape != .negotiated { return shape }
        guard !request.uri.path.hasPrefix("/api/") else { return .json }
        return request.acceptsPage ? .page : .json
    }
}

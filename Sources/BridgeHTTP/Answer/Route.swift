package import HTTPTypes
import Hummingbird

/// A route of one group, declared once: where it is, what it is called, how its errors look, whom it lets in, and what
/// answers. Its registration, its label in logs and metrics, the words that settings cannot use, the provider's
/// metadata, the page of a form that waited for a sign-in and the comparison with the API's description all derive from
/// this.
struct Route<Group: Sendable>: Sendable {
    private(set) var declaration: RouteDeclaration
    /// The handler of a group, with the guard in front.
    let bind: @Sendable (Group) -> Handler
    /// What answers `HEAD`; `nil` where it follows `GET`, or is refused.
    private(set) var head: (@Sendable (Group) -> Handler)?
    private(set) var refusesHead = false

    /// A route that needs nobody: what it lets happen is decided by what the request carries.
    /// - Parameters:
    ///   - path: a router path such as `/api/auth/sso-tokens/{id}`; its text is the label in logs and metrics.
    ///   - operationID: in the API's description.
    init(
        _ method: HTTPRequest.Method, _ path: String, _ operationID: String, as shape: ErrorShape = .negotiated,
        anyone handler: @escaping @Sendable (Group) -> Handler
    ) {
        declaration = RouteDeclaration(
            method: method, path: path, operationID: operationID, shape: shape, access: .anyone)
        bind = handler
    }

    /// A route whose handler gets what the guard has found; there is no way to call it without.
    init<Admitted>(
        _ method: HTTPRequest.Method, _ path: String, _ operationID: String, as shape: ErrorShape = .negotiated,
        _ guardian: RouteGuard<Group, Admitted>,
        _ handler: @escaping @Sendable (Group) -> RouteGuard<Group, Admitted>.Guarded
    ) {
        declaration = RouteDeclaration(
            method: method, path: path, operationID: operationID, shape: shape, access: guardian.access,
            refusesWebViews: guardian.refusesWebViews)
        bind = { guardian.protect($0, handler($0)) }
    }

    /// This route for every method.
    var forAllMethods: Route { with { $0.takesAllMethods = true } }

    /// This route for scripts of any origin (``CrossOriginAccess``).
    var forScripts: Route { with { $0.isForScripts = true } }

    /// This route, named in the provider's metadata (RFC 8414 §2).
    func metadata(_ member: String) -> Route { with { $0.metadataMember = member } }

    /// This route, with a `HEAD` of its own.
    func head(_ handler: @escaping @Sendable (Group) -> Handler) -> Route {
        var route = self
        route.head = handler
        return route
    }

    /// This route without `HEAD`, where `GET` uses something up.
    var withoutHead: Route {
        var route = self
        route.refusesHead = true
        return route
    }

    /// This route, for a page that may be asked for again to be shown in another language: it does nothing but show,
    /// and no token, link or code of one use is in its address.
    func shownAgain(_ repetition: PageRepetition) -> Route { with { $0.repetition = repetition } }

    /// This route, for a page that is shown where no app is installed that opens its address instead (contract §13).
    var opensInApps: Route { with { $0.opensInApps = true } }

    /// This route, for a form that may wait for a sign-in: what its button says, as a text of the catalogue.
    /// - Parameter label: of what the address names, where the button does not say it.
    func says(_ key: String, in section: String, about label: FormButton.Text? = nil) -> Route {
        with { $0.button = FormButton(text: (section, key), label: label) }
    }

    private func with(_ change: (inout RouteDeclaration) -> Void) -> Route {
        var route = self
        change(&route.declaration)
        return route
    }
}

/// What a route says of itself, without what answers.
package struct RouteDeclaration: Sendable {
    package let method: HTTPRequest.Method
    package let path: String
    package let operationID: String
    let shape: ErrorShape
    package let access: RouteAccess
    /// Whether its guard refuses web views of apps whose registration forbids them.
    package let refusesWebViews: Bool
    /// Whether it is one of the ways to sign in.
    package fileprivate(set) var isOfSignIn = false
    package internal(set) var takesAllMethods = false
    var isForScripts = false
    var metadataMember: String?
    var repetition = PageRepetition.never
    var opensInApps = false
    var button: FormButton?
    /// The origins that it answers at; `nil` where it answers under any host.
    fileprivate(set) var place: Origins.Purposes?
    fileprivate(set) var reservation = RouteReservation.firstWord
    fileprivate(set) var unavailable = Unavailable.page

    fileprivate init(
        method: HTTPRequest.Method, path: String, operationID: String, shape: ErrorShape, access: RouteAccess,
        refusesWebViews: Bool = false
    ) {
        self.method = method
        self.path = path
        self.operationID = operationID
        self.shape = shape
        self.access = access
        self.refusesWebViews = refusesWebViews
    }
}

/// How a route's errors look.
enum ErrorShape: Hashable, Sendable {
    /// A page or JSON, as the request's `Accept` says.
    case negotiated
    /// A page: visitors are browsers, whatever their `Accept` says.
    case page
    /// JSON: visitors are programs, whatever their `Accept` says: Java's own HTTP client asks for `text/html`.
    case json
    /// JSON by the token endpoint's rules for answers (RFC 6749 §5.1, §5.2).
    case token
    /// The status alone, for proxies: never a body (contract §6).
    case nothing
}

extension Request {
    /// Whether a page is the answer where ``ErrorShape/negotiated`` decides.
    var acceptsPage: Bool { headers[.accept]?.contains("text/html") == true }
}

/// Whom a route lets in.
package enum RouteAccess: String, Sendable {
    case anyone
    /// Whoever comes from a page of ours, in the same browser; what is not ours is shown the page again.
    case form
    /// Whoever has a session in this browser.
    case session
    /// Whoever has an access token.
    case bearer
    /// A client of the provider, authenticated as it is registered.
    case client
    /// An administrator; anybody else is refused.
    case administrator
    /// An administrator; anybody else is led to the console's sign-in, or refused where a form was sent.
    case console
}

/// Routes that need the same things.
protocol RouteGroup: Sendable {
    static var routes: [Route<Self>] { get }
    /// The origins that they belong to: at another they do not exist; `nil` where they answer under any host.
    static var place: Origins.Purposes? { get }
    static var reservation: RouteReservation { get }
    /// What a store that is away keeps from its visitors.
    static var unavailable: Unavailable { get }
    /// Whether they sign somebody in: those that refuse no web view are named in a test.
    static var isOfSignIn: Bool { get }
}

/// What a website's own paths must keep away from.
enum RouteReservation: Sendable {
    /// Every path that begins with the same word.
    case firstWord
    /// The paths alone: websites have others of the same first word.
    case paths
    /// Nothing: settings say which paths these are.
    case nothing
}

extension RouteGroup {
    static var place: Origins.Purposes? { nil }
    static var reservation: RouteReservation { .firstWord }
    static var unavailable: Unavailable { .page }
    static var isOfSignIn: Bool { false }

    static var declarations: [RouteDeclaration] {
        routes.map { route in
            var declaration = route.declaration
            declaration.place = place
            declaration.reservation = reservation
            declaration.unavailable = unavailable
            declaration.isOfSignIn = isOfSignIn
            return declaration
        }
    }
}

extension Endpoints {
    /// Registers every route of a group.
    /// - Parameter path: in the place of the one that its routes are declared with.
    func mount<Group: RouteGroup>(_ group: Group, at path: String? = nil) {
        let endpoints = Group.place.map(only) ?? self
        for (declared, routes) in Dictionary(grouping: Group.routes, by: \.declaration.path) {
            var handlers: [HTTPRequest.Method: Handler] = [:]
            for route in routes {
                let handler = Self.repeatable(route.declaration.repetition, route.bind(group))
                for method in route.declaration.takesAllMethods ? Self.known : [route.declaration.method] {
                    handlers[method] = handler
                }
            }
            if let head = routes.lazy.compactMap(\.head).first { handlers[.head] = head(group) }
            if !routes.contains(where: \.refusesHead) { handlers = Self.withHead(handlers) }
            if routes.contains(where: \.declaration.isForScripts) { handlers = CrossOriginAccess.open(handlers) }
            endpoints.register(path ?? declared, handlers)
        }
    }

    /// Lets the page that a handler makes know that it may be shown again.
    private static func repeatable(_ repetition: PageRepetition, _ handler: @escaping Handler) -> Handler {
        guard repetition != .never else { return handler }
        return { request, context in
            var context = context
            context.repetition = repetition
            return try await handler(request, context)
        }
    }
}

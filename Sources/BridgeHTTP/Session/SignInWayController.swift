import Bridge
import HTTPTypes
import Hummingbird
import Logging
import OAuth2

/// `/session/sign-in`: where a website's proxy sends whoever is not signed in; the way to the sign-in page and back to
/// the page that was wanted starts here.
struct SignInWayController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, SignInPath.begin, "beginSignIn", as: .page, anyone: begin)
    ]

    static let place: Origins.Purposes? = .all
    static let unavailable = Unavailable.signIn

    let way: SignInWay
    /// Bounds the warnings about a missing portal.
    let notices: OnceAMinute

    @Sendable func begin(_ request: Request, context: BridgeRequestContext) -> Response {
        let wanted = Self.wanted(request.uri.query ?? "")
        let destination = way.destination(from: request, wanted: wanted, isStepUp: false)
        if destination.isDeadEnd, notices.isDue() {
            context.logger.warning(
                """
                A website sent a visitor to sign in at the issuer's origin, which signs nobody in at the website: let \
                default_web_client be a portal that may reach it
                """,
                metadata: ["website": "\(way.origins.own(of: request))"])
        }
        return destination.response(.seeOther)
    }

    /// The page that was wanted. A proxy that cannot encode puts its own request's target there as it is, `?` and `&`
    /// included; that begins with a plain `/`, and then all that follows belongs to it. A query that cannot be read
    /// names none, and does not stop the sign-in.
    static func wanted(_ query: String) -> [UInt8]? {
        let name = "\(SignInWay.wanted)="
        if query.hasPrefix("\(name)/") {
            return Array(query.utf8.dropFirst(name.utf8.count))
        }
        guard let parameters = try? FormParameters(keepingMalformed: Array(query.utf8)),
            !parameters.isRepeated(SignInWay.wanted)
        else { return nil }
        return parameters.bytes(SignInWay.wanted)
    }
}

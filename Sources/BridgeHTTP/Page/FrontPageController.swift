import Bridge
import HTTPTypes
import Hummingbird

/// `/` where nobody else has it: an instance with an address of its own is opened by people who typed that in.
///
/// Its page is the user's own account, which asks to sign in first, or at the console's own origin the console. A website
/// at the same origin has its proxy send it only our paths, and never this one.
struct FrontPageController: RouteGroup {
    static let path = "/"
    static let routes: [Route<Self>] = [Route(.get, path, "frontPage", as: .page, anyone: show)]

    static let place: Origins.Purposes? = [.provider, .console]
    /// Websites have a front page of their own.
    static let reservation = RouteReservation.nothing

    let origins: OriginReader

    @Sendable func show(_ request: Request, context: BridgeRequestContext) -> Response {
        let purposes = origins.place(of: request).purposes
        let isForConsole = origins.configured.areApart && !purposes.contains(.provider)
        let target =
            isForConsole
            ? origins.configured.admin.description + ConsolePath.home
            : origins.own(of: request).description + AccountPath.home
        return .seeOther(target)
    }
}

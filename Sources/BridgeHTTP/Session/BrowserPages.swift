import Bridge
import HTTPTypes
import Hummingbird

/// What every route for browsers shares: whose browser it is, what its pages look like, and what their forms must bring
/// back.
final class BrowserPages: Sendable {
    let browsers: BrowserSessions
    let browserSignOut: BrowserSignOut
    let clients: Reloadable<ClientDirectory>
    let formTokens: FormTokens
    let pages: Pages
    let origins: OriginReader
    let refusals: RefusalLog
    let time: TimeSource
    let random: RandomSource
    /// Makes the cookies of the profile `tokens`; `nil` where nothing signs their access tokens.
    let cookieTokens: CookieTokens?

    init(
        browsers: BrowserSessions, browserSignOut: BrowserSignOut, clients: Reloadable<ClientDirectory>,
        formTokens: FormTokens, pages: Pages, origins: OriginReader, refusals: RefusalLog, time: TimeSource,
        random: RandomSource, cookieTokens: CookieTokens? = nil
    ) {
        self.browsers = browsers
        self.browserSignOut = browserSignOut
        self.clients = clients
        self.formTokens = formTokens
        self.pages = pages
        self.origins = origins
        self.refusals = refusals
        self.time = time
        self.random = random
        self.cookieTokens = cookieTokens
    }

    /// Where a visitor goes who stays signed in after all: to the account where its page is, else to the website.
    func stayPath(_ request: Request) -> String {
        origins.place(of: request).purposes.isDisjoint(with: [.provider, .console]) ? "/" : AccountPath.home
    }

    /// The visitor, who is led there and not to a sign-in where a session is alive in the browser. To find it out
    /// is no use of it; without its store nobody knows.
    func atHome(_ visitor: PageVisitor, _ request: Request) async -> PageVisitor {
        do {
            guard try await browsers.firstAtHome(of: request) != nil else { return visitor }
            return visitor.signedIn(at: stayPath(request))
        } catch {
            return visitor
        }
    }
}

/// What answers browsers: groups of routes, and what several of these share.
protocol BrowserFacing: Sendable {
    var kit: BrowserPages { get }
}

/// Routes for browsers.
protocol BrowserGroup: RouteGroup, BrowserFacing {}

extension BrowserFacing {
    var browsers: BrowserSessions { kit.browsers }
    var browserSignOut: BrowserSignOut { kit.browserSignOut }
    var clients: Reloadable<ClientDirectory> { kit.clients }
    var formTokens: FormTokens { kit.formTokens }
    var pages: Pages { kit.pages }
    var origins: OriginReader { kit.origins }
    var issuer: WebOrigin { kit.origins.configured.issuer }
    var time: TimeSource { kit.time }
    var random: RandomSource { kit.random }

    /// For whom a page is made, with the looks of the website that it belongs to: the one that the visit is about where
    /// that is known for certain, else the one at whose origin it is shown, else the one that apps open by default.
    func pageVisitor(
        _ request: Request, _ context: BridgeRequestContext, for website: Client? = nil
    ) -> PageVisitor {
        let directory = clients.current
        let here = directory.websites[origins.own(of: request)]?.min { $0.id.rawValue < $1.id.rawValue }
        return PageVisitor(request, context).themed(by: directory.defaultWebsite)
            .themed(by: here).themed(by: website)
    }

    /// Where a visitor goes who stays signed in after all.
    func stayPath(_ request: Request) -> String { kit.stayPath(request) }

    /// Writes down that a page of another origin asked for something, and with whose cookies. No use of them.
    func recordForeignPage(_ request: Request, _ context: BridgeRequestContext) async throws {
        try await kit.refusals.browserRefused(
            .foreignPage, in: try await browsers.firstToEnd(of: request), origin: context.origin(of: request),
            at: time.now())
    }

    /// Redirects to another page of the origin that was asked.
    /// - Parameter path: with its query.
    func onward(_ path: String, _ request: Request) -> Response {
        .seeOther("\(origins.own(of: request))\(path)")
    }

    /// Sets the cookies of a session that was just opened, in its website's profile (contract §6).
    func setCookies(of opened: OpenedSession, in headers: inout HTTPFields) throws {
        let now = time.now()
        let website = clients.current[opened.session.clientID]
        // Another profile's cookie would be kept where nobody looks for it.
        guard opened.refresh != nil || opened.session.loginTokenID == nil || website?.cookieProfile != .tokens else {
            throw StorageError.unavailable("a session of the profile tokens came without its refresh cookie")
        }
        guard let refresh = opened.refresh, let cookieTokens = kit.cookieTokens, let website else {
            return SessionCookies.set(opened.session, secret: opened.secret, at: now, in: &headers)
        }
        let made = try cookieTokens.cookies(
            for: opened.session, client: website, refresh: refresh, refreshPath: CookieTokens.refreshPath, at: now)
        TokenCookies.set(made.cookies, at: now, in: &headers)
    }

    /// Takes away what belongs to other users in this browser, and what would shadow the new cookies; after
    /// ``setCookies(of:in:)``, whose cookies stay.
    /// - Parameter held: the sessions of the profile `tokens` that the browser came with.
    func takeCookies(
        besides opened: OpenedSession, of held: [SignedIn], _ request: Request, in headers: inout HTTPFields
    ) async throws {
        let subject = opened.session.subject
        browserSignOut.takeCookies(of: held.filter { $0.session.subject != subject }, request, in: &headers)
        guard opened.refresh != nil, kit.cookieTokens != nil else { return }
        if let website = clients.current[opened.session.clientID] {
            browserSignOut.takeShadows(prefix: website.cookiePrefix, request, in: &headers)
            browserSignOut.takeOtherRefreshRoutes(prefix: website.cookiePrefix, request, in: &headers)
        }
        guard let other = try await browsers.sessionEvenIfEnded(of: request), other.subject != subject else { return }
        SessionCookies.clear(in: &headers)
    }
}

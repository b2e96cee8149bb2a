import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/auth/check` for a proxy's sub-request: a status and header fields, never a body, and a redirect only where the proxy
/// asks for one (contract §6).
struct AuthCheckController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/auth/check", "check", as: .nothing, .session, check).forAllMethods
    ]

    let sessions: BrowserSessions
    let time: TimeSource
    let way: SignInWay
    let websites: CheckedWebsite
    /// What identity header fields are made of.
    let users: any UserClaimsSource

    @Sendable func check(
        _ request: Request, context: BridgeRequestContext, admitted: AdmittedCheck
    ) async throws -> Response {
        let session = admitted.visitor.session
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers[.xAuthSubject] = HeaderText.encode(session.subject.rawValue)
        headers[.xAuthSession] = HeaderText.encode(session.id.rawValue)
        if let acr = session.authentication.acr { headers[.xAuthAcr] = HeaderText.encode(acr) }
        try await addIdentity(of: session, asked: admitted.identityNames, by: request, to: &headers)
        return Response(status: .ok, headers: headers)
    }

    /// Name, e-mail address and groups, where the proxy asks for them, the website's scope has them, and so had the app by
    /// which the session came to be (contract §16).
    private func addIdentity(
        of session: WebSession, asked names: [String], by request: Request, to headers: inout HTTPFields
    ) async throws {
        guard !names.isEmpty else { return }
        let directory = way.clients.current
        let website = directory[session.clientID] ?? directory.defaultWebsite
        guard let scope = website?.scope else { return }
        let claims = try await users.claims(of: session.subject)
        var told = ScopeClaims.names(openedBy: session.lineage.limiting(scope))
        if let asking = askingWebsites(request, besides: session, in: directory) {
            told.formIntersection(asking.flatMap { ScopeClaims.names(openedBy: $0.scope) })
        }
        for name in names {
            guard let field = Self.identity[name] else { continue }
            // Websites take an address for who somebody is: one that nobody has checked is not said.
            if name == "email", claims["email_verified"]?.bool != true { continue }
            guard told.contains(name), let claim = claims[name] else { continue }
            headers[field] = claim.string.map(HeaderText.encode) ?? UserGroups(claim).flatMap(Self.list)
        }
    }

    /// The website that asks, where the session is another one's: a neighbour's at a shared domain, or the user's own
    /// sign-in. It is told no more than its own scope opens, too.
    /// - Returns: `nil` for a session of its own, and at an origin that no website has to itself.
    private func askingWebsites(
        _ request: Request, besides session: WebSession, in directory: ClientDirectory
    ) -> [Client]? {
        guard let websites = directory.websites[way.origins.own(of: request)],
            !websites.contains(where: { $0.id == session.clientID })
        else { return nil }
        return websites
    }

    /// The first website whose `min_acr` a session does not meet: of all at the origin, because a check does not say
    /// which of them its page is of, and the session's own. Every request to a website passes here: clients are looked
    /// at where they stand, and not put together first.
    private func websiteNotMet(
        at request: Request, by session: WebSession, in directory: ClientDirectory
    ) -> Client? {
        func isNotMet(_ website: Client) -> Bool { !website.acceptsStrength(of: session.authentication) }
        let here = way.origins.own(of: request)
        let home = directory.defaultWebsite
        let websites = directory.websites[here] ?? []
        for website in websites where isNotMet(website) { return website }
        // Without an origin of its own it is at ours, and wherever else no website is.
        let isHere = home?.publicOrigin == nil && (websites.isEmpty || here == way.origins.configured.website)
        if let home, isHere, isNotMet(home) { return home }
        guard let own = directory[session.clientID] ?? home, isNotMet(own) else { return nil }
        return own
    }

    /// What a session lacks for a check.
    struct Shortfall {
        /// RFC 9470 §3.
        let challenge: String
        /// What the sign-in page has to see to, any of these; empty where the sign-in is too old.
        let acrValues: [String]
    }

    /// What a session lacks of what the proxy demands, and of what the websites there want of every sign-in
    /// (`min_acr`). How old one may be that is handed over (`max_auth_age`) is no matter of a check.
    /// - Returns: `nil` where it is enough.
    func shortfall(
        of session: WebSession, demand: AuthenticationDemand?, by request: Request, at now: Timestamp
    ) -> Shortfall? {
        let strict = websiteNotMet(at: request, by: session, in: way.clients.current)
        let minimum = strict?.minimumACR
        let demanded = demand.flatMap { $0.isMet(by: session.authentication, at: now) ? nil : $0 }
        guard strict != nil || demanded != nil else { return nil }
        let ofDemand = demanded?.acrValues ?? []
        // The stronger of the two.
        let values = minimum.flatMap { AuthenticationLevel.satisfies($0, anyOf: ofDemand) ? [$0] : nil } ?? ofDemand
        let isFresh = demanded?.acceptsAge(of: session.authentication, at: now) ?? true
        return Shortfall(
            challenge: AuthenticationChallenge.text(acrValues: values, maximumAge: demanded?.maximumAge),
            acrValues: isFresh ? values : [])
    }

    /// What `?identity=` asks for.
    /// - Throws: `OAuthError(.invalidRequest)` for a name without a field: a proxy's configuration that means something
    ///   must never be read as less.
    static func identityNames(_ parameters: CheckParameters) throws -> [String] {
        let names = parameters["identity"]?.split(separator: ",").map(String.init) ?? []
        guard names.allSatisfy({ identity.keys.contains($0) }) else {
            throw OAuthError(.invalidRequest, "identity names an unknown field")
        }
        return names
    }

    private static let identity: [String: HTTPField.Name] = [
        "name": .xAuthName, "email": .xAuthEmail, UserGroups.claim: .xAuthGroups,
    ]

    /// With commas between; in a name they are encoded.
    private static func list(_ groups: UserGroups) -> String? {
        guard !groups.names.isEmpty else { return nil }
        return groups.names.map(HeaderText.encode).joined(separator: ",")
    }

    /// What a visitor gets whom the check does not let in: the way to the sign-in page, where the proxy asks for that and
    /// somebody looks, else the refusal.
    /// - Parameter acrValues: how strong the sign-in has to be: as one of these.
    func refusal(
        of request: Request, asking parameters: CheckParameters, isStepUp: Bool, acrValues: [String],
        _ refusal: ChallengedError
    ) throws -> Response {
        guard parameters.contains(SignInWay.wanted), SignInWay.isPage(request.headers) else { throw refusal }
        let wanted =
            parameters.bytes(SignInWay.wanted) ?? request.headers.value(of: .xForwardedURI).map { Array($0.utf8) }
        return way.destination(from: request, wanted: wanted, isStepUp: isStepUp, acrValues: acrValues)
            .response(.found)
    }

    // RFC 9110 §15.5.2 asks for a challenge with every 401. There is no scheme for cookies; `Bearer` makes no browser
    // open a password box.
    static let signedOut = ChallengedError(
        error: OAuthError(.invalidToken, "this takes the session of a browser that is signed in here"),
        headers: [.wwwAuthenticate: "Bearer", .cacheControl: "no-store"])
}

extension HTTPField.Name {
    static let xAuthSubject = literal("X-Auth-Subject")
    static let xAuthSession = literal("X-Auth-Session")
    static let xAuthAcr = literal("X-Auth-Acr")
    static let xAuthName = literal("X-Auth-Name")
    static let xAuthEmail = literal("X-Auth-Email")
    static let xAuthGroups = literal("X-Auth-Groups")
}

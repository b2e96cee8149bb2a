import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/auth/check` for a proxy's sub-request: a status and header fields, never a body, never a redirect
/// (contract §6).
struct AuthCheckController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/auth/check", "check", as: .nothing, .session, check).forAllMethods
    ]

    let sessions: BrowserSessions
    let origins: OriginReader
    let time: TimeSource

    @Sendable func check(_ request: Request, context: BridgeRequestContext, found: SignedIn) -> Response {
        let session = found.session
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers[.xAuthSubject] = HeaderText.encode(session.subject.rawValue)
        headers[.xAuthSession] = HeaderText.encode(session.id.rawValue)
        if let acr = session.authentication.acr { headers[.xAuthAcr] = HeaderText.encode(acr) }
        return Response(status: .ok, headers: headers)
    }

    // RFC 9110 §15.5.2 asks for a challenge with every 401. There is no scheme for cookies; `Bearer` makes no browser
    // open a password box.
    static let signedOut = ChallengedError(
        error: OAuthError(.invalidToken), headers: [.wwwAuthenticate: "Bearer", .cacheControl: "no-store"])
}

extension HTTPField.Name {
    static let xAuthSubject = literal("X-Auth-Subject")
    static let xAuthSession = literal("X-Auth-Session")
    static let xAuthAcr = literal("X-Auth-Acr")
}

import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/oauth/userinfo` by GET and POST, the token in the header or in a form (OpenID Connect Core §5.3.1).
struct UserInfoController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "userinfo", as: .json, .bearer, show).forScripts.metadata("userinfo_endpoint"),
        Route(.post, path, "userinfoByPost", as: .json, .bearer, show).forScripts,
    ]

    private static let path = "/oauth/userinfo"

    let userInfo: UserInfo
    let gate: BearerGate

    @Sendable func show(_ request: Request, context: BridgeRequestContext, answer: UserInfo.Answer) -> Response {
        switch answer {
        case .plain(let claims): return TokenAnswer.response(claims.text)
        case .signed(let token):
            var response = TokenAnswer.response(token.expose())
            response.headers[.contentType] = "application/jwt"
            return response
        }
    }

    static func token(of request: Request) async throws -> PresentedAccessToken {
        guard request.method == .post,
            BodyReader.isForm(request)
        else { return try BearerReader.token(in: request) }
        let form = try await BodyReader.form(of: request, upTo: TokenController.bodyLimit)
        try form.checkUnique()
        guard let token = form["access_token"] else { return try BearerReader.token(in: request) }
        guard request.headers[.authorization] == nil else {
            throw OAuthError(.invalidRequest, "one way to send the access token at a time")
        }
        return PresentedAccessToken(token: Secret(token))
    }
}

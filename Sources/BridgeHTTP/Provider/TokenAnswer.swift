import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// A token response on the wire.
enum TokenAnswer {
    static let headers: HTTPFields = [.cacheControl: "no-store", .pragma: "no-cache"]
    private static let headersOfJSON: HTTPFields = [
        .cacheControl: "no-store", .pragma: "no-cache", .contentType: "application/json",
    ]

    /// - Parameters:
    ///   - request: whose `Accept` may ask for the cookies as JSON.
    ///   - host: of websites that have no origin of their own.
    static func response(
        _ answer: TokenResponse, to request: Request, host: String, at now: Timestamp
    ) -> Response {
        switch answer {
        case .tokens(let tokens): response(json(tokens))
        case .cookies(let delivered): response(delivered, to: request, host: host, at: now)
        }
    }

    private static func response(
        _ delivered: DeliveredCookies, to request: Request, host: String, at now: Timestamp
    ) -> Response {
        let isDescribed = TokenCookies.isWanted(request.headers)
        var response = response(
            isDescribed ? TokenCookies.json(delivered.cookies, host: delivered.host ?? host, at: now) : "{}")
        if isDescribed { response.headers[.contentType] = TokenCookies.mediaType }
        TokenCookies.set(delivered.cookies, at: now, in: &response.headers)
        return response
    }

    /// - Parameter json: the body.
    static func response(_ json: String) -> Response { response(ByteBuffer(string: json)) }

    /// - Parameter json: the body.
    static func response(_ json: ByteBuffer) -> Response {
        Response(status: .ok, headers: headersOfJSON, body: .init(byteBuffer: json))
    }

    static func json(_ answer: IssuedTokens) -> String {
        var json = JSONObjectWriter()
        json.add("access_token", answer.accessToken.expose())
        json.add("token_type", answer.tokenType)
        json.add("expires_in", max(1, answer.expiresIn.inMilliseconds / 1000))
        if let scope = answer.scope { json.add("scope", scope.description) }
        if let token = answer.refreshToken { json.add("refresh_token", token.expose()) }
        if let token = answer.idToken { json.add("id_token", token.expose()) }
        if let secret = answer.deviceSecret { json.add("device_secret", secret.expose()) }
        if let type = answer.issuedTokenType { json.add("issued_token_type", type) }
        for member in answer.extraMembers { json.add(member.name, json: member.value.text) }
        return json.finishedText()
    }
}

extension HTTPField.Name {
    /// For HTTP/1.0 caches (RFC 6749 §5.1).
    static let pragma = literal("Pragma")
}

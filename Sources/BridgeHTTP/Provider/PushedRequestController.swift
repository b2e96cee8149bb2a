import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/oauth/par`: authorization requests ahead of the browser (RFC 9126).
struct PushedRequestController: ClientGroup {
    static let routes: [Route<Self>] = [
        Route(
            .post, "/oauth/par", "par", as: .token,
            .client(bodyLimit: BodyReader.limit, takingInAddress: AuthorizationParameter.loginToken), push
        ).metadata("pushed_authorization_request_endpoint")
    ]

    let endpoints: ClientEndpoints
    let requests: PushedRequests

    @Sendable func push(
        _ request: Request, context: BridgeRequestContext, client: ClientRequest
    ) async throws -> Response {
        let form = client.form.adding(AuthorizationParameter.loginToken, of: (try? request.queryOfLink()) ?? .none)
        let uri = try await requests.push(
            form, basic: client.basic, proof: request.proofOfPossession, origin: client.origin)
        var json = JSONObjectWriter()
        json.add("request_uri", uri.expose())
        json.add("expires_in", PushedRequests.lifetime.components.seconds)
        var headers = TokenAnswer.headers
        headers[.contentType] = "application/json"
        return Response(
            status: .created, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: json.finish())))
    }
}

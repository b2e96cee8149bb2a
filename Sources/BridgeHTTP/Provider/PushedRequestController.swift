import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/oauth/par`: authorization requests ahead of the browser (RFC 9126).
struct PushedRequestController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.post, "/oauth/par", "par", as: .token, .client(bodyLimit: BodyReader.limit), push)
            .metadata("pushed_authorization_request_endpoint")
    ]

    let requests: PushedRequests

    @Sendable func push(
        _ request: Request, context: BridgeRequestContext, client: ClientRequest
    ) async throws -> Response {
        let uri = try await requests.push(
            client.form, basic: client.basic, proof: request.proofOfPossession, origin: client.origin)
        var json = JSONObjectWriter()
        json.add("request_uri", uri.expose())
        json.add("expires_in", PushedRequests.lifetime.components.seconds)
        var headers = TokenAnswer.headers
        headers[.contentType] = "application/json"
        return Response(
            status: .created, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: json.finish())))
    }
}

import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/oauth/par`: authorization requests ahead of the browser (RFC 9126).
struct PushedRequestController: Sendable {
    let requests: PushedRequests

    @Sendable func push(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await TokenController.answeringErrors {
            guard BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded" else {
                throw OAuthError(.invalidRequest, "the body must be application/x-www-form-urlencoded")
            }
            let form = try FormParameters(parsing: try await BodyReader.bytes(of: request))
            let uri = try await requests.push(
                form, basic: try BasicCredentials.read(request.headers), proof: request.proofOfPossession,
                origin: context.origin(of: request))
            var json = JSONObjectWriter()
            json.add("request_uri", uri.expose())
            json.add("expires_in", PushedRequests.lifetime.components.seconds)
            var headers = TokenAnswer.headers
            headers[.contentType] = "application/json"
            return Response(
                status: .created, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: json.finish())))
        }
    }
}

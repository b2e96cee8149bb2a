import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/oauth/device_authorization`: devices without a browser (RFC 8628 §3.1).
struct DeviceAuthorizationController: ClientGroup {
    static let routes: [Route<Self>] = [
        Route(
            .post, "/oauth/device_authorization", "deviceAuthorization", as: .token,
            .client(bodyLimit: BodyReader.limit), start
        ).metadata("device_authorization_endpoint")
    ]

    let endpoints: ClientEndpoints
    let authorizations: DeviceAuthorizations
    let issuer: String
    let metrics: DeviceGrantMetrics

    @Sendable func start(
        _ request: Request, context: BridgeRequestContext, client: ClientRequest
    ) async throws -> Response {
        let started = try await authorizations.start(
            client.form, basic: client.basic, origin: client.origin, issuer: issuer)
        metrics.count(.issued)
        var json = JSONObjectWriter()
        json.add("device_code", started.deviceCode.expose())
        json.add("user_code", started.userCode.shown)
        json.add("verification_uri", issuer + DevicePath.page)
        json.add("verification_uri_complete", issuer + DevicePath.complete(started.userCode.shown))
        json.add("expires_in", DeviceAuthorizations.lifetime.components.seconds)
        json.add("interval", DevicePoll.firstInterval.components.seconds)
        return TokenAnswer.response(ByteBuffer(bytes: json.finish()))
    }
}

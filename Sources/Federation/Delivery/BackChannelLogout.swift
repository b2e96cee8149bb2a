package import Bridge
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OAuth2

/// Posts logout tokens to clients (OpenID Connect Back-Channel Logout §2.5).
package struct BackChannelLogout: LogoutDelivery {
    // As for issuers: a client that redirects would choose whom we post to.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        configuration.timeout.connect = .seconds(3)
        configuration.httpVersion = .http1Only
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    package init() {}

    package func deliver(
        _ token: Secret<String>, to uri: String, timeout: Duration
    ) async -> LogoutDeliveryOutcome {
        var request = HTTPClientRequest(url: uri)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: "logout_token=" + PercentEncoding.encode(token.expose())))
        do {
            let response = try await Self.client.execute(request, timeout: .milliseconds(timeout.inMilliseconds))
            switch response.status.code {
            case 200, 204: return .accepted
            case 500...: return .failed
            default: return .refused(status: Int(response.status.code))
            }
        } catch {
            return .failed
        }
    }
}

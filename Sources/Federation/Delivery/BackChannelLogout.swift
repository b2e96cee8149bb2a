package import Bridge
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OAuth2

/// Posts logout tokens to clients (OpenID Connect Back-Channel Logout §2.5).
package struct BackChannelLogout: LogoutDelivery {
    package init() {}

    package func deliver(
        _ token: Secret<String>, to uri: String, timeout: Duration
    ) async -> LogoutDeliveryOutcome {
        var request = HTTPClientRequest(url: uri)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: "logout_token=" + PercentEncoding.encode(token.expose())))
        do {
            switch try await HTTPClient.deliveries.status(of: request, within: timeout) {
            case 200, 204: return .accepted
            case let status where status >= 500: return .failed(status: status)
            case let status: return .refused(status: status)
            }
        } catch {
            return .failed(status: nil)
        }
    }
}

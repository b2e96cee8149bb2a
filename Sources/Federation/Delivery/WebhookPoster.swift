import Bridge
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Posts notices to webhooks, under the rules that back-channel logout has.
package struct WebhookPoster: WebhookDelivery {
    // A receiver that redirects would choose whom we post to.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        configuration.timeout.connect = .seconds(3)
        configuration.httpVersion = .http1Only
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    package init() {}

    package func post(
        _ body: [UInt8], signature: String, id: String, to uri: String, timeout: Duration
    ) async -> Int? {
        var request = HTTPClientRequest(url: uri)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "Drawbridge-Webhook")
        request.headers.add(name: "Drawbridge-Webhook-Id", value: id)
        request.headers.add(name: "Drawbridge-Webhook-Signature", value: signature)
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try? await Self.client.execute(request, timeout: .milliseconds(timeout.inMilliseconds))
        return response.map { Int($0.status.code) }
    }
}

import Bridge
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Posts notices to webhooks, under the rules that back-channel logout has.
package struct WebhookPoster: WebhookDelivery {
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
        return try? await HTTPClient.deliveries.status(of: request, within: timeout)
    }
}

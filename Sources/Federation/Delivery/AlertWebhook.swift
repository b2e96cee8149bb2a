package import Bridge
import AsyncHTTPClient
import Crypto
import NIOCore
import NIOHTTP1
import OAuth2

/// Posts alerts as JSON to one address, signed with a shared secret.
package struct AlertWebhook: AlertDelivery {
    private let url: String
    private let secret: Secret<[UInt8]>?

    private static let timeout = Duration.seconds(5)

    /// - Parameter secret: signs the body, as HMAC-SHA256 in `Drawbridge-Signature`; `nil` signs nothing.
    package init(url: String, secret: Secret<[UInt8]>?) {
        self.url = url
        self.secret = secret
    }

    package func deliver(_ alert: Alert, isOver: Bool, node: String, at now: Timestamp) async -> Bool {
        let body = Self.body(alert, isOver: isOver, node: node, at: now)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        if let secret {
            let code = HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: secret.expose()))
            request.headers.add(name: "Drawbridge-Signature", value: "sha256=\(HexDigit.encode(Array(code)))")
        }
        request.body = .bytes(ByteBuffer(bytes: body))
        guard let status = try? await HTTPClient.deliveries.status(of: request, within: Self.timeout) else {
            return false
        }
        return (200..<300).contains(status)
    }

    static func body(_ alert: Alert, isOver: Bool, node: String, at now: Timestamp) -> [UInt8] {
        var object = JSONObjectWriter()
        object.add("alert", alert.rule.name.rawValue)
        object.add("title", alert.rule.title)
        object.add("state", isOver ? "over" : "begun")
        object.add("count", alert.count)
        object.add("threshold", alert.rule.threshold)
        object.add("window_seconds", AlertRule.window.inMilliseconds / 1000)
        object.add("since", alert.since.rfc3339)
        object.add("at", now.rfc3339)
        object.add("node", node)
        return object.finish()
    }
}

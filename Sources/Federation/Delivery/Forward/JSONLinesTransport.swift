import AsyncHTTPClient
import Bridge
import NIOCore
import NIOHTTP1

/// JSON Lines over HTTPS: the receiver's answer acknowledges every event.
struct JSONLinesTransport: AuditForwardTransport {
    let url: EndpointURL
    let authorization: Secret<String>?
    let tls: AuditForwardTLS

    func connect() async throws -> any AuditForwardConnection {
        let client = HTTPClient.withoutRedirects(connectingWithin: .seconds(10), tls: try tls.configuration())
        return JSONLinesConnection(client: client, url: url, authorization: authorization)
    }
}

/// The posts to one receiver, from one failure to the next.
private struct JSONLinesConnection: AuditForwardConnection {
    let client: HTTPClient
    let url: EndpointURL
    let authorization: Secret<String>?

    private static let timeout = Duration.seconds(30)

    var settling: Duration { .zero }

    func deliver(_ items: [AuditForwardItem]) async throws {
        var bytes: [UInt8] = []
        for item in items {
            bytes += item.json
            bytes.append(UInt8(ascii: "\n"))
        }
        var request = HTTPClientRequest(url: url.description)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-ndjson")
        if let authorization { request.headers.add(name: "Authorization", value: authorization.expose()) }
        request.body = .bytes(ByteBuffer(bytes: bytes))
        let status = try await client.status(of: request, within: Self.timeout)
        guard (200..<300).contains(status) else {
            throw AuditForwardError("the receiver answered \(status)")
        }
    }

    func check() {}

    func close() async { try? await client.shutdown() }
}

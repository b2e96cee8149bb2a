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
        // A receiver that redirects would choose whom we post to.
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try tls.configuration(), redirectConfiguration: .disallow, decompression: .disabled)
        configuration.timeout.connect = .seconds(10)
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        return JSONLinesConnection(client: client, url: url, authorization: authorization)
    }
}

/// The posts to one receiver, from one failure to the next.
private struct JSONLinesConnection: AuditForwardConnection {
    let client: HTTPClient
    let url: EndpointURL
    let authorization: Secret<String>?

    private static let timeout = TimeAmount.seconds(30)

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
        let response = try await client.execute(request, timeout: Self.timeout)
        guard (200..<300).contains(response.status.code) else {
            throw AuditForwardError("the receiver answered \(response.status.code)")
        }
    }

    func check() {}

    func close() async { try? await client.shutdown() }
}

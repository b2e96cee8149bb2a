import AsyncHTTPClient
import Bridge
import ClientTLS
import NIOCore
import NIOHTTP1
import NIOSSL

extension HTTPClient {
    /// Asks and posts at addresses that others have given us: one that redirects would choose whom we ask, and whom we
    /// post to.
    ///
    /// One that is kept for the process is never shut down, as `HTTPClient.shared` is.
    /// - Parameters:
    ///   - limit: how long a connection may take to be made.
    ///   - tls: for a server that has rules of its own.
    ///   - triesOnce: whether an address where no server listens is reported at once; otherwise it is tried again until
    ///     the time is up.
    static func withoutRedirects(
        connectingWithin limit: TimeAmount, tls: TLSConfiguration = OutboundTLS.usual, triesOnce: Bool = false
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
        configuration.timeout.connect = limit
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = !triesOnce
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// For what is delivered to the receivers of clients and operators.
    static let deliveries = withoutRedirects(connectingWithin: .seconds(3))

    /// Sends a request of whose answer the status alone matters.
    /// - Parameter limit: how long the status may take.
    func status(of request: HTTPClientRequest, within limit: Duration) async throws -> Int {
        let response = try await execute(request, timeout: .milliseconds(limit.inMilliseconds))
        await response.drain()
        return Int(response.status.code)
    }
}

extension HTTPClientResponse {
    /// Reads a short answer to its end: the connection then serves the next request as well, which else begins with a
    /// new one and its TLS. If an answer goes on, the rest and the connection are given up.
    /// - Returns: the answer's content; nothing of one that goes on.
    @discardableResult func drain() async -> [UInt8] {
        let content = try? await Deadline.run(.seconds(1), otherwise: CancellationError()) { [body] in
            try await body.collect(upTo: 65_536)
        }
        return content.map { Array($0.readableBytesView) } ?? []
    }
}

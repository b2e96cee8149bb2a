import AsyncHTTPClient
package import Bridge
import NIOCore
import NIOHTTP1

/// A collector of spans, by OTLP over HTTP.
package protocol SpanReceiver: Sendable {
    /// - Parameter patience: how long it may take in all.
    func send(_ spans: [FinishedSpan], within patience: Duration) async -> SpanDelivery
}

/// The outcome of sending spans.
package enum SpanDelivery: Hashable, Sendable {
    /// But for so many that the receiver did not want.
    case taken(rejected: Int)
    /// Sending them again may help; not before so long.
    case later(after: Duration?)
    /// The receiver will not have them; its status.
    case refused(Int)
}

/// Posts spans as OTLP's JSON.
package struct OTLPReceiver: SpanReceiver {
    private let url: String
    private let authorization: Secret<String>?
    private let source: SpanSource

    private static let longestAnswer = 65_536

    private static let client = HTTPClient.withoutRedirects(connectingWithin: .seconds(3), triesOnce: true)

    /// - Parameters:
    ///   - url: the whole address, such as `http://127.0.0.1:4318/v1/traces`.
    ///   - authorization: the value of `Authorization`; `nil` sends none.
    package init(url: String, authorization: Secret<String>?, source: SpanSource) {
        self.url = url
        self.authorization = authorization
        self.source = source
    }

    package func send(_ spans: [FinishedSpan], within patience: Duration) async -> SpanDelivery {
        let delivery = try? await Deadline.run(patience, otherwise: CancellationError()) { [request = request(spans)] in
            let response = try await Self.client.execute(request, timeout: .milliseconds(patience.inMilliseconds))
            return await Self.delivery(by: response)
        }
        return delivery ?? .later(after: nil)
    }

    /// What the receiver says to a message without any span.
    func ask(within patience: Duration) async throws -> Int {
        try await Deadline.run(patience, otherwise: IssuerConnection.Failure.timedOut) { [request = request([])] in
            let response = try await Self.client.execute(request, timeout: .milliseconds(patience.inMilliseconds))
            return Int(response.status.code)
        }
    }

    private func request(_ spans: [FinishedSpan]) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "Drawbridge-Telemetry")
        if let authorization { request.headers.add(name: "Authorization", value: authorization.expose()) }
        request.body = .bytes(ByteBuffer(bytes: OTLPMessage.encode(spans, from: source)))
        return request
    }

    private static func delivery(by response: HTTPClientResponse) async -> SpanDelivery {
        switch response.status.code {
        case 200..<300:
            let body = try? await response.body.collect(upTo: longestAnswer)
            return .taken(rejected: body.map { OTLPMessage.rejected(in: Array($0.readableBytesView)) } ?? 0)
        // The answers after which OTLP asks for another attempt.
        case 429, 502, 503, 504:
            await response.drain()
            let seconds = response.headers.first(name: "Retry-After").flatMap { Int64($0) }
            return .later(after: seconds.map { .seconds(min(max($0, 0), 300)) })
        case let status:
            await response.drain()
            return .refused(Int(status))
        }
    }
}

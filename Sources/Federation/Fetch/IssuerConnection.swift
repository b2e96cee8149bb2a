import AsyncHTTPClient
import Bridge
import NIOCore
import NIOHTTP1
import OAuth2

/// Requests to trusted issuers, bounded in time and size.
struct IssuerConnection: Sendable {
    /// Why a request gave no answer. Holds no text from outside, so that it can be logged.
    enum Failure: Error, Hashable, CustomStringConvertible {
        /// What an OAuth endpoint says it refuses (RFC 6749 §5.2).
        enum Word: String {
            case invalidRequest = "invalid_request"
            case invalidClient = "invalid_client"
            case invalidGrant = "invalid_grant"
            case unauthorizedClient = "unauthorized_client"
            case unsupportedGrantType = "unsupported_grant_type"
            case invalidScope = "invalid_scope"
        }

        /// - Parameter error: `nil` for an answer that has none, or one of its server's own.
        case status(Int, error: Word? = nil)
        case tooLarge
        case timedOut
        case unreachable(FetchObstacle)

        var description: String {
            switch self {
            case .status(let status, let error): "answers with \(status)\(error.map { " (\($0.rawValue))" } ?? "")"
            case .tooLarge: "answers with too much"
            case .timedOut: "does not answer in time"
            case .unreachable(let obstacle): obstacle.text
            }
        }
    }

    let limits: FetchLimits
    let client: HTTPClient

    init(limits: FetchLimits, client: HTTPClient) {
        self.limits = limits
        self.client = client
    }

    /// - Parameter triesOnce: whether an address where no server listens is reported at once; otherwise it is tried
    ///   again until the time is up.
    init(limits: FetchLimits, triesOnce: Bool = false) {
        self.init(limits: limits, client: triesOnce ? Self.impatient : Self.patient)
    }

    // An issuer that redirects would choose where we look for its keys. What ends first is the time for connecting, for only
    // then is it told what the last attempt failed of: below the usual ``FetchLimits/timeout``.
    private static let patient = HTTPClient.withoutRedirects(connectingWithin: .seconds(4))
    private static let impatient = HTTPClient.withoutRedirects(connectingWithin: .seconds(5), triesOnce: true)

    /// Fetches a document.
    func get(_ url: EndpointURL) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: url.description)
        request.headers.add(name: "Accept", value: "application/json")
        return try await send(request)
    }

    /// Posts a form with HTTP Basic authentication as RFC 6749 §2.3.1 encodes it.
    func post(
        _ url: EndpointURL, form: [(String, String)], clientID: String, secret: Secret<String>
    ) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: url.description)
        request.method = .POST
        let credentials = PercentEncoding.encode(clientID) + ":" + PercentEncoding.encode(secret.expose())
        request.headers.add(name: "Authorization", value: "Basic " + Base64.encode(Array(credentials.utf8)))
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "Accept", value: "application/json")
        let body = form.map { PercentEncoding.encode($0.0) + "=" + PercentEncoding.encode($0.1) }
        request.body = .bytes(ByteBuffer(string: body.joined(separator: "&")))
        return try await send(request)
    }

    private static func traced(_ request: HTTPClientRequest) -> HTTPClientRequest {
        guard let trace = TraceContext.current else { return request }
        var request = request
        request.headers.add(name: "traceparent", value: trace.traceparent)
        return request
    }

    private func send(_ plain: HTTPClientRequest) async throws -> [UInt8] {
        try await TraceStep.fetch.run { span in
            if let host = WebURL(plain.url)?.origin.host { span?.note(.server, host) }
            let request = Self.traced(plain)
            let (status, body) = try await answer(to: request)
            span?.note(.status, status)
            guard status == 200 else {
                let error = JSONValue.parse(body)?.object?["error"]?.string
                throw Failure.status(status, error: error.flatMap(Failure.Word.init(rawValue:)))
            }
            return body
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .connectTimeout, .getConnectionFromPoolTimeout,
    ]

    /// - Returns: the answer; of a body that is not a document, only as much as ``HTTPClientResponse/drain()`` reads.
    private func answer(to request: HTTPClientRequest) async throws -> (status: Int, body: [UInt8]) {
        let (limits, client) = (limits, client)
        return try await Deadline.run(limits.timeout, otherwise: Failure.timedOut) {
            do {
                let response = try await client.execute(
                    request, timeout: .milliseconds(limits.timeout.inMilliseconds))
                let status = Int(response.status.code)
                guard response.status == .ok else { return (status, await response.drain()) }
                let body = try await response.body.collect(upTo: limits.maximumBytes)
                return (status, Array(body.readableBytesView))
            } catch is NIOTooManyBytesError {
                throw Failure.tooLarge
            } catch let error as HTTPClientError where Self.timeouts.contains(error) {
                throw Failure.timedOut
            } catch {
                throw Failure.unreachable(FetchObstacle(error))
            }
        }
    }
}

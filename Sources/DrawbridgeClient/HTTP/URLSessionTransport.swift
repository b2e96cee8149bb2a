import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Speaks HTTP by `URLSession`: no redirects, no cookies, no cache, half a minute of patience.
public struct URLSessionTransport: HTTPTransport {
    private let session: URLSession

    /// A session of its own: nothing of it is shared with the rest of the app.
    public init() {
        let settings = URLSessionConfiguration.ephemeral
        settings.httpShouldSetCookies = false
        settings.httpCookieAcceptPolicy = .never
        settings.urlCache = nil
        settings.timeoutIntervalForRequest = 30
        settings.timeoutIntervalForResource = 60
        session = URLSession(configuration: settings, delegate: StayHere(), delegateQueue: nil)
    }

    /// As ``HTTPTransport/send(_:)`` says.
    public func send(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer {
        guard let url = URL(string: request.address) else { throw .configuration("\(request.address) is no address") }
        var carried = URLRequest(url: url)
        carried.httpMethod = request.method
        carried.httpBody = request.body.map { Data($0.expose()) }
        for (name, value) in request.headers.expose() { carried.setValue(value, forHTTPHeaderField: name) }
        let body: Data
        let response: URLResponse
        do {
            (body, response) = try await session.data(for: carried)
        } catch {
            throw .unreachable(Self.reason(error))
        }
        guard let answer = response as? HTTPURLResponse else { throw .unexpectedAnswer("not HTTP") }
        guard body.count <= ClientAnswer.maximumBody else { throw .unexpectedAnswer("too long") }
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        return ClientAnswer(status: answer.statusCode, headers: headers, body: Array(body))
    }

    /// Without the error's own fields: they repeat the request's address.
    private static func reason(_ error: any Error) -> String {
        switch (error as? URLError)?.code {
        case .timedOut: "it takes too long"
        case .cannotFindHost, .dnsLookupFailed: "no such host"
        case .cannotConnectToHost: "no connection"
        case .notConnectedToInternet: "no network"
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
            .secureConnectionFailed:
            "its certificate is not trusted"
        case let code?: "network error \(code.rawValue)"
        case nil: "network error"
        }
    }
}

/// Refuses every redirect: what stands elsewhere is not the provider's answer, and our secrets do not go there.
private final class StayHere: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

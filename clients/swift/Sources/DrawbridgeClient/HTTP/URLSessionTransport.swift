public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Speaks HTTP by `URLSession`: no redirects, no cookies, no cache, bounded in time and size.
public struct URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let delegate: AnswerCollector
    private let patience: TimeInterval

    /// A session of its own: nothing of it is shared with the rest of the app.
    /// - Parameter patience: seconds for a whole answer; a renewal has six at most.
    public init(patience: TimeInterval = 30) {
        let settings = URLSessionConfiguration.ephemeral
        settings.httpShouldSetCookies = false
        settings.httpCookieAcceptPolicy = .never
        settings.urlCache = nil
        settings.timeoutIntervalForRequest = patience
        settings.timeoutIntervalForResource = patience
        self.patience = patience
        delegate = AnswerCollector()
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
    }

    /// As ``HTTPTransport/send(_:)`` says.
    public func send(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer {
        guard let url = URL(string: request.address) else { throw .configuration("\(request.address) is no address") }
        var carried = URLRequest(url: url)
        carried.httpMethod = request.method
        carried.httpBody = request.body.map { Data($0.expose()) }
        for (name, value) in request.headers.expose() { carried.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: carried)
        // The system's own limit is for each part of an answer; ours is for the whole.
        let seconds = min(patience, request.patience ?? patience)
        let clock = Task { [delegate] in
            try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
            delegate.finish(task, .failure(.unreachable("it takes too long")))
        }
        defer { clock.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { delegate.start(task, $0) }
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}

/// Gathers the answers of a session's tasks. Refuses every redirect: what is elsewhere is not the provider's answer,
/// and our secrets do not go there.
private final class AnswerCollector: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    typealias Waiting = CheckedContinuation<Result<ClientAnswer, ClientError>, Never>

    private struct Gathered {
        let waiting: Waiting
        var body: [UInt8] = []
    }

    // Guards `gathered`, and is the reason for `@unchecked`: the platforms of the floor have no `Mutex`.
    private let lock = NSLock()
    private var gathered: [Int: Gathered] = [:]

    func start(_ task: URLSessionDataTask, _ waiting: Waiting) {
        lock.withLock { gathered[task.taskIdentifier] = Gathered(waiting: waiting) }
        task.resume()
    }

    /// Ends the wait; the first result counts.
    func finish(_ task: URLSessionTask, _ result: Result<ClientAnswer, ClientError>) {
        let found = lock.withLock { gathered.removeValue(forKey: task.taskIdentifier) }
        guard let found else { return }
        task.cancel()
        found.waiting.resume(returning: result)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let length = lock.withLock {
            gathered[dataTask.taskIdentifier]?.body.append(contentsOf: data)
            return gathered[dataTask.taskIdentifier]?.body.count ?? 0
        }
        guard length > ClientAnswer.maximumBody else { return }
        let answer = (dataTask.response as? HTTPURLResponse).map { Self.answer($0, []) }
        finish(dataTask, .failure(.unexpectedAnswer("it is too long", requestID: answer?.requestID)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { return finish(task, .failure(.unreachable(Self.reason(error)))) }
        guard let answer = task.response as? HTTPURLResponse else {
            return finish(task, .failure(.unreachable("what answers is not HTTP")))
        }
        let body = lock.withLock { gathered[task.taskIdentifier]?.body ?? [] }
        finish(task, .success(Self.answer(answer, body)))
    }

    private static func answer(_ answer: HTTPURLResponse, _ body: [UInt8]) -> ClientAnswer {
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        return ClientAnswer(status: answer.statusCode, headers: headers, body: body)
    }

    /// Without the error's own fields: they repeat the request's address.
    private static func reason(_ error: any Error) -> String {
        switch (error as? URLError)?.code {
        case .timedOut: "it takes too long"
        case .cannotFindHost, .dnsLookupFailed: "no such host"
        case .cannotConnectToHost: "no connection"
        case .notConnectedToInternet: "no network"
        case .networkConnectionLost: "the connection broke"
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid:
            "its certificate is not trusted"
        case .secureConnectionFailed: "it speaks no TLS, or its certificate is not trusted"
        // What Foundation on Linux says of such a certificate, too.
        case .unknown: "a network error without a name: perhaps its certificate is not trusted"
        case let code?: "network error \(code.rawValue)"
        case nil: "network error"
        }
    }
}

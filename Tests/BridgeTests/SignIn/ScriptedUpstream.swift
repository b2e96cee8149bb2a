import OAuth2
import Synchronization

@testable import Bridge

/// A provider that names whom it is told to, and keeps what it was asked.
final class ScriptedUpstream: UpstreamProvider {
    struct State {
        var answer: Result<UpstreamUser, UpstreamRefusal> = .failure(.badCode)
        var requests: [UpstreamRequest] = []
        var isFresh: [Bool] = []
    }

    let id = "corporate"
    let name = "Corporate sign-in"
    private let state = Mutex(State())

    var requests: [UpstreamRequest] { state.withLock { $0.requests } }
    var isFresh: [Bool] { state.withLock { $0.isFresh } }

    func willName(
        _ subject: String, authenticatedAt: Timestamp? = nil, methods: [String] = []
    ) {
        let user = UpstreamUser(
            identity: UpstreamIdentity(issuer: "https://login.corporate.example", subject: subject), name: "Alice",
            email: "alice@corporate.example", authenticatedAt: authenticatedAt, methods: methods)
        state.withLock { $0.answer = .success(user) }
    }

    func willRefuse(_ refusal: UpstreamRefusal) { state.withLock { $0.answer = .failure(refusal) } }

    func authorizationURL(for request: UpstreamRequest, isFresh: Bool) -> String {
        state.withLock { state in
            state.requests.append(request)
            state.isFresh.append(isFresh)
        }
        return "https://login.corporate.example/authorize"
    }

    func user(
        code: Secret<String>, issuer: String?, for request: UpstreamRequest, at now: Timestamp
    ) throws(UpstreamRefusal) -> UpstreamUser {
        state.withLock { $0.requests.append(request) }
        return try state.withLock { $0.answer }.get()
    }
}

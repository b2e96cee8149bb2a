import OAuth2
import Synchronization

@testable import Bridge

/// A provider that names whom it is told to, and keeps what it was asked.
final class ScriptedUpstream: UpstreamProvider {
    struct State {
        var answer: Result<UpstreamUser, UpstreamRefusal> = .failure(.badCode)
        var requests: [UpstreamRequest] = []
        var isFresh: [Bool] = []
        var logoutTokens: [String: LogoutToken] = [:]
    }

    let id: String
    let name = "Corporate sign-in"
    private let state = Mutex(State())

    init(id: String = "corporate") { self.id = id }

    var requests: [UpstreamRequest] { state.withLock { $0.requests } }
    var isFresh: [Bool] { state.withLock { $0.isFresh } }

    func willName(
        _ subject: String, authenticatedAt: Timestamp? = nil, methods: [String] = [], session: String? = nil
    ) {
        let user = UpstreamUser(
            identity: UpstreamIdentity(issuer: "https://login.corporate.example", subject: subject), name: "Alice",
            email: "alice@corporate.example", authenticatedAt: authenticatedAt, methods: methods,
            session: session)
        state.withLock { $0.answer = .success(user) }
    }

    func willRefuse(_ refusal: UpstreamRefusal) { state.withLock { $0.answer = .failure(refusal) } }

    /// Has `text` be a logout token made at `now`; any other is none.
    func willSay(_ text: String, _ reach: LogoutToken.Reach, at now: Timestamp) {
        let token = LogoutToken(
            issuer: "https://login.corporate.example", reach: reach, id: text, madeAfter: now - .seconds(30),
            usableUntil: now + .seconds(150))
        state.withLock { $0.logoutTokens[text] = token }
    }

    func logoutToken(_ text: String, at now: Timestamp) throws -> LogoutToken {
        if text == "keys are away" { throw StorageError.unavailable("the issuer's keys cannot be fetched") }
        guard let token = state.withLock({ $0.logoutTokens[text] }) else { throw LogoutTokenRefusal.badSignature }
        return token
    }

    func reload() {}

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

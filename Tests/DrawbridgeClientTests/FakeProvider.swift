import Crypto
import DrawbridgeClient
import Foundation

/// A provider in memory: answers what it was told to, signs ID tokens, and remembers what it was asked.
actor FakeProvider: HTTPTransport {
    static let issuer = "https://id.example.com"

    /// A request as it arrived.
    struct Received: Sendable {
        let method: String
        let address: String
        let bearer: String?
        let form: [String: String]
        let body: String
        let patience: Double?
    }

    let keys: SigningKey
    private var answers: [String: [ClientAnswer]] = [:]
    private var problems: [String: ClientError] = [:]
    private var interludes: [String: @Sendable () async -> Void] = [:]
    private(set) var requests: [Received] = []

    init(keys: SigningKey = SigningKey(id: "k1")) {
        self.keys = keys
        answers["/.well-known/openid-configuration"] = [.json(Self.metadata())]
        answers["/keys"] = [.json(["keys": [keys.publicKey]])]
    }

    static func metadata(_ changes: [String: any Sendable] = [:]) -> [String: any Sendable] {
        let document: [String: any Sendable] = [
            "issuer": issuer, "authorization_endpoint": "\(issuer)/authorize", "token_endpoint": "\(issuer)/token",
            "jwks_uri": "\(issuer)/keys", "userinfo_endpoint": "\(issuer)/userinfo",
            "revocation_endpoint": "\(issuer)/revoke", "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        ]
        return document.merging(changes) { $1 }
    }

    /// What to answer at a path, in turn; the last one stays.
    func answer(_ path: String, _ given: ClientAnswer...) { answers[path] = given }

    /// What happens while an answer of this path is on its way, once.
    func meanwhile(_ path: String, _ work: @escaping @Sendable () async -> Void) { interludes[path] = work }

    func fail(_ path: String, _ problem: ClientError) { problems[path] = problem }

    func asked(_ path: String) -> [Received] { requests.filter { $0.address == Self.issuer + path } }

    func send(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer {
        let path = String(request.address.dropFirst(Self.issuer.count))
        let body = request.body.map { String(decoding: $0.expose(), as: UTF8.self) } ?? ""
        requests.append(
            Received(
                method: request.method, address: request.address,
                bearer: request.headers.expose()["Authorization"].map { String($0.dropFirst("Bearer ".count)) },
                form: Self.form(body), body: body, patience: request.patience))
        if let interlude = interludes.removeValue(forKey: path) { await interlude() }
        // As the transport by URLSession: a task that is cancelled hears no answer.
        if Task.isCancelled { throw .unreachable("the connection broke") }
        if let problem = problems[path] { throw problem }
        guard var queue = answers[path], let next = queue.first else { return ClientAnswer(status: 404) }
        if queue.count > 1 {
            queue.removeFirst()
            answers[path] = queue
        }
        return next
    }

    private static func form(_ body: String) -> [String: String] {
        let parts = URLComponents(string: "?" + body.replacing("+", with: "%20"))
        return Dictionary((parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
    }
}

extension ClientAnswer {
    static func json(
        _ object: [String: any Sendable], status: Int = 200, type: String = "application/json"
    ) -> ClientAnswer {
        let bytes = (try? JSONSerialization.data(withJSONObject: object)).map(Array.init) ?? []
        return ClientAnswer(status: status, headers: ["Content-Type": type], body: bytes)
    }

    static func refusal(_ code: String, status: Int = 400) -> ClientAnswer {
        json(["error": code, "error_description": "because", "request_id": "r1"], status: status)
    }
}

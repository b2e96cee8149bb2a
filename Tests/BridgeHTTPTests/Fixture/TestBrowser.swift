import BridgeHTTP
import Foundation
import HTTPTypes
import HummingbirdTesting
import OAuth2
import Synchronization

/// A browser with a cookie jar that follows nothing by itself.
final class TestBrowser: Sendable {
    let client: any TestClientProtocol
    private let jar = Mutex<[String: String]>([:])
    private let extra = Mutex<HTTPFields>([:])

    init(_ client: any TestClientProtocol) { self.client = client }

    var cookies: [String: String] { jar.withLock { $0 } }

    /// Sends a header field with every request from now on.
    func send(_ name: String, _ value: String) { extra.withLock { $0[.name(name)] = value } }

    func get(_ uri: String) async throws -> TestResponse { try await keep(client.send(.get, path(uri), all)) }

    func send(_ method: HTTPRequest.Method, _ uri: String, body: String? = nil) async throws -> TestResponse {
        var headers = all
        if body != nil { headers[.contentType] = "application/json" }
        return try await keep(client.send(method, path(uri), headers, body: body))
    }

    func post(_ uri: String, _ fields: [(String, String)]) async throws -> TestResponse {
        try await keep(client.post(fields, all, to: path(uri)))
    }

    /// Follows redirects within the service.
    func open(_ uri: String) async throws -> TestResponse { try await follow(get(uri)) }

    func follow(_ answer: TestResponse) async throws -> TestResponse {
        var answer = answer
        while answer.status == .seeOther, let location = answer.headers[.location],
            location.hasPrefix(TestBridge.publicOrigin)
        {
            answer = try await get(location)
        }
        return answer
    }

    /// Fills in the sign-in page and sends it; does not follow.
    func signIn(
        on page: TestResponse, as name: String = "alice", password: String = TestAccounts.password
    ) async throws -> TestResponse {
        try await post("/sign-in", page.fields + [("username", name), ("password", password)])
    }

    /// The first form of the consent page, or the second.
    func decide(on page: TestResponse, _ decision: String = "allow") async throws -> TestResponse {
        let fields = page.fields.prefix { $0.0 != "decision" }
        return try await post("/oauth/consent", fields + [("decision", decision)])
    }

    func hold(_ cookie: String, _ value: String) { jar.withLock { $0[cookie] = value } }

    private var all: HTTPFields {
        var headers: HTTPFields = [.userAgent: Visitor.browser, .acceptLanguage: "en"]
        for field in extra.withLock({ $0 }) { headers[field.name] = field.value }
        let cookies = cookies
        if !cookies.isEmpty { headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        return headers
    }

    private func keep(_ answer: TestResponse) -> TestResponse {
        jar.withLock { jar in
            for (name, value) in answer.cookies { jar[name] = value.isEmpty ? nil : value }
        }
        return answer
    }

    private func path(_ uri: String) -> String {
        uri.hasPrefix(TestBridge.publicOrigin) ? String(uri.dropFirst(TestBridge.publicOrigin.count)) : uri
    }
}

extension TestResponse {
    /// The parameters of the redirect that this answer is.
    func redirect() throws -> FormParameters {
        let location = headers[.location] ?? ""
        return try FormParameters(parsing: location.drop { $0 != "?" }.dropFirst().utf8)
    }
}

/// An authorization request of the test clients.
enum AuthorizeURL {
    static let path = "/oauth/authorize"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static func make(
        _ client: String = "app", redirect: String = "com.example.app:/callback", more: String = ""
    ) -> String {
        "\(path)?response_type=code&client_id=\(client)&redirect_uri=\(PercentEncoding.encode(redirect))"
            + "&scope=openid&state=s-1&code_challenge=\(challenge)&code_challenge_method=S256\(more)"
    }
}

import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuth2

/// Header sets of real visitors.
enum Visitor {
    static let browser = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605.1.15"
    static let otherBrowser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

    /// A person's own navigation.
    static func navigation(
        site: String = "none", agent: String = browser, cookie: String? = nil, more: HTTPFields = [:]
    ) -> HTTPFields {
        var headers: HTTPFields = [
            .userAgent: agent, .name("Sec-Fetch-Site"): site, .name("Sec-Fetch-Mode"): "navigate",
            .name("Sec-Fetch-Dest"): "document", .name("Sec-Fetch-User"): "?1",
        ]
        if let cookie { headers[.cookie] = cookie }
        for field in more { headers.append(field) }
        return headers
    }
}

extension HTTPField.Name {
    static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header name") }
        return name
    }
}

struct IssuedToken: Decodable, Sendable {
    let token: String
    let id: String
    let expires_at: String
    let expires_in: Int
    let login_url: String
}

extension TestClientProtocol {
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ headers: HTTPFields = [:], body: String? = nil
    ) async throws -> TestResponse {
        try await execute(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }) { $0 }
    }

    func issue(
        _ json: String = "{}", for subject: String = "alice", bearer: String? = nil
    ) async throws -> IssuedToken {
        let answer = try await send(
            .post, "/api/auth/create-sso-token",
            [.authorization: "Bearer \(bearer ?? "\(subject).app")", .contentType: "application/json"], body: json)
        guard answer.status == .ok else { throw FixtureProblem.unexpectedAnswer(answer.status.code) }
        return try JSONDecoder().decode(IssuedToken.self, from: Data(answer.body.readableBytesView))
    }

    func redeem(_ token: String, _ headers: HTTPFields = Visitor.navigation(), more: String = "") async throws
        -> TestResponse
    {
        try await send(.get, "/login-with-token?token=\(token)\(more)", headers)
    }

    func post(
        _ fields: [(String, String)], _ headers: HTTPFields = [.userAgent: Visitor.browser],
        to path: String = "/login-with-token"
    ) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await send(.post, path, headers, body: fields.encoded)
    }

    /// The `Cookie` header of a browser that has just been signed in.
    func signIn(_ subject: String = "alice", acr: String? = nil) async throws -> String {
        let token = try await issue(bearer: acr.map { "\(subject).app.\($0)" } ?? "\(subject).app")
        let answer = try await redeem(token.token)
        guard let cookie = answer.cookies["__Host-drawbridge_session"] else {
            throw FixtureProblem.unexpectedAnswer(answer.status.code)
        }
        return "__Host-drawbridge_session=\(cookie)"
    }

    func isSignedIn(_ cookie: String) async throws -> Bool {
        try await send(.get, "/auth/check", [.cookie: cookie]).status == .ok
    }
}

extension [(String, String)] {
    var encoded: String {
        map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    }
}

extension TestResponse {
    var text: String { String(decoding: body.readableBytesView, as: UTF8.self) }

    /// Cookies that the answer sets, by name; cleared ones are empty.
    var cookies: [String: String] {
        var cookies: [String: String] = [:]
        for value in headers[values: .setCookie] {
            let pair = value.split(separator: ";")[0].split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = String(pair[1])
        }
        return cookies
    }

    var cookieHeader: String { cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

    /// The hidden fields of the page's form.
    var fields: [(String, String)] {
        text.matches(of: #/<input type="hidden" name="([a-z_]+)" value="([^"]*)">/#).map {
            (String($0.1), String($0.2).replacing("&amp;", with: "&").replacing("&#x2F;", with: "/"))
        }
    }

    func json() throws -> [String: any Sendable] {
        let object = try JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: Any] ?? [:]
        return object.mapValues { value in
            switch value {
            case let text as String: text
            case let number as NSNumber: number
            default: "\(value)"
            }
        }
    }

    func text(_ member: String) throws -> String? { try json()[member] as? String }
}

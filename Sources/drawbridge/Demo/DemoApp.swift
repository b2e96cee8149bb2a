import Bridge
import BridgeHTTP
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// Plays the phone app: holds a bearer of the backend and asks the real endpoint for a login token.
struct DemoApp: Sendable {
    private let issuer: DemoIssuer
    private let publicOrigin: WebOrigin
    private let time: TimeSource
    private let services: BridgeServices
    private let settings: BridgeHTTPSettings

    static let endpoint = "/api/auth/create-sso-token"

    init(services: BridgeServices, settings: BridgeHTTPSettings, issuer: DemoIssuer) {
        self.issuer = issuer
        publicOrigin = settings.publicOrigin
        time = services.front.time
        self.services = services
        self.settings = settings
    }

    /// What the app sent and what it got.
    struct Exchange: Sendable {
        let bearer: Secret<String>
        let requestBody: String
        let status: Int
        let answer: String
        /// Seconds after which to ask again, where it was too often.
        let retryAfter: String?
        /// `nil` when no token was issued.
        let loginURL: String?
    }

    /// Asks for a login token that lands on `path`.
    func requestToken(
        for person: DemoPerson, landingOn path: String, context: BridgeRequestContext
    ) async throws -> Exchange {
        let bearer = bearer(for: person)
        let body = "{\"redirect\":\(JSONText.quoted(path))}"
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.authorization] = "Bearer \(bearer.expose())"
        headers[.userAgent] = "DemoApp/1.0 (phone)"
        let request = Request(
            head: HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: Self.endpoint, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(string: body)))
        // The same routes as the outside sees, called in process. Made here, so that a demo starts without them.
        let routes = buildRouter(services: services, settings: settings).buildResponder()
        let response = try await routes.respond(to: request, context: context)
        let collector = BodyCollector()
        try await response.body.write(collector)
        let answer = collector.bytes
        return Exchange(
            bearer: bearer, requestBody: body, status: response.status.code,
            answer: String(decoding: answer, as: UTF8.self), retryAfter: response.headers[.retryAfter],
            loginURL: try? JSONDecoder().decode(IssueAnswer.self, from: Data(answer)).loginURL)
    }

    func bearer(for person: DemoPerson) -> Secret<String> { issuer.bearer(for: person, at: time.now()) }

    private struct IssueAnswer: Decodable {
        let loginURL: String
        enum CodingKeys: String, CodingKey { case loginURL = "login_url" }
    }
}

import Bridge
import BridgeHTTP
import HTTPTypes
import Hummingbird
import OAuth2

/// The demo's website: a page that plays the phone app, and the protected pages that it opens.
struct DemoSite: Sendable {
    /// Where the request file leads phones whose owners ask what becomes of their data.
    static let policyPath = "/demo/policy"

    let services: BridgeServices
    let settings: BridgeHTTPSettings
    let app: DemoApp
    let time: TimeSource

    init(composition: Composition, issuer: DemoIssuer) {
        services = composition.services
        settings = composition.httpSettings
        app = DemoApp(services: composition.services, settings: composition.httpSettings, issuer: issuer)
        time = composition.ground.time
    }

    /// Also a page below `/account/` (contract §15), beside the service's own `/account`.
    var besideService: [String: Handler] { ["/account/": account] }

    @Sendable func addRoutes(_ endpoints: Endpoints) {
        endpoints.on("/", [.get: home])
        endpoints.on("/demo/app", [.post: openOnTheWeb])
        endpoints.on("/demo/style.css", [.get: style])
        endpoints.on("/demo/session.js", [.get: sessionScript])
        endpoints.on(Self.policyPath, [.get: policy])
        endpoints.on("/contacts", [.get: contacts])
        endpoints.on("/account/**", [.get: account])
        endpoints.on("/user/contacts/index.php", [.get: legacyContacts])
    }

    @Sendable private func style(_ request: Request, context: BridgeRequestContext) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "no-cache"],
            body: .init(byteBuffer: .init(string: DemoStyle.sheet)))
    }

    @Sendable private func sessionScript(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-cache"],
            body: .init(byteBuffer: .init(string: DemoScript.session)))
    }

    /// A page in the look of the product, with the demo's own sheet.
    func page(
        _ title: String, _ main: String, _ request: Request, _ context: BridgeRequestContext,
        scripts: [String] = [], status: HTTPResponse.Status = .ok
    ) -> Response {
        services.browsers.pages.document(
            title: title, main: "<link rel=\"stylesheet\" href=\"/demo/style.css\">\n" + main,
            to: PageVisitor(request, context), language: "en", scripts: scripts, wide: true, status: status)
    }

    /// Who is signed in in this browser.
    func session(_ request: Request) async throws -> WebSession? {
        try await services.browserSessions(at: settings.origins).signedIn(by: request)?.session
    }

    static func escape(_ text: String) -> String { Pages.escape(text) }
}

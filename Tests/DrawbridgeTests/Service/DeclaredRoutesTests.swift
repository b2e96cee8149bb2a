import Bridge
import BridgeHTTP
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OAuth2
import Synchronization
import Testing

@testable import drawbridge

/// The declarations of routes against the API's description, and against a whole server with everything switched on.
@Suite struct DeclaredRoutesTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    /// Another address of a declared route, described as an example of the setting.
    private static let further = "/user/login-with-token.php"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs against every route.
    /// - Parameters:
    ///   - more: settings besides those that switch everything on.
    ///   - log: lines of the access log.
    private func withServer(
        more: String = "", log: @escaping @Sendable ([UInt8]) -> Void = { _ in },
        _ body: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let settings = try folder.settingsOfEverything(more)
        let watch = AuditWatch()
        let storage = try await ServerStorage.open(settings, watch: watch, logger: Self.logger)
        let accessLog = AccessLog(sink: log)
        let composition = try await Composition(
            settings: settings, storage: storage, accessLog: accessLog, logger: Self.logger, watch: watch)
        let router = buildRouter(services: composition.services, settings: composition.httpSettings)
        try await Application(router: router, logger: Self.logger).test(.router, body)
        await accessLog.flush(within: .seconds(60))
        await composition.ground.shared.close()
        try await storage.close()
    }

    /// A path of the route, with a word in the place of each parameter.
    private static func concrete(_ route: RouteDeclaration) -> String {
        route.path.replacing("{", with: "").replacing("}", with: "")
    }

    @Test func `every declared route is described by its operation, and every described one is declared`() throws {
        let file = TemporaryFolder.package.appending(path: "Config/openapi.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        var described: Set<String> = []
        var (path, method) = ("", "")
        var isInPaths = false
        for line in text.split(separator: "\n") {
            if !line.hasPrefix(" ") { isInPaths = line == "paths:" }
            guard isInPaths else { continue }
            if let found = line.wholeMatch(of: #/  (/[^:]*):/#) { path = String(found.1) }
            if let found = line.wholeMatch(of: #/    (get|post|put|patch|delete):/#) { method = found.1.uppercased() }
            if let found = line.wholeMatch(of: #/      operationId: (\w+)/#), path != Self.further {
                described.insert("\(method) \(path) \(found.1)")
            }
        }
        let declared = Set(RouteTable.all.map { "\($0.method.rawValue) \($0.path) \($0.operationID)" })
        #expect(described.count > 100)
        #expect(declared.subtracting(described) == [], "declared, but not described")
        #expect(described.subtracting(declared) == [], "described, but not declared")
        #expect(declared.count == RouteTable.all.count)
    }

    @Test func `every declared route answers, and its path is its label`() async throws {
        let lines = Mutex<[UInt8]>([])
        try await withServer(log: { written in lines.withLock { $0 += written } }) { client in
            for route in RouteTable.all {
                try await client.execute(uri: Self.concrete(route), method: route.method) { answer in
                    #expect(answer.status != .methodNotAllowed, "\(route.operationID)")
                }
            }
        }
        let labels = String(decoding: lines.withLock { $0 }, as: UTF8.self).split(separator: "\n").compactMap {
            JSONValue.parse($0.utf8)?.object?["route"]?.string
        }
        // The router has no slash at the end.
        let paths = RouteTable.all.map(\.path)
        #expect(labels == paths.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    }

    @Test func `a route that needs somebody refuses a request that says nothing`() async throws {
        try await withServer { client in
            for route in RouteTable.all {
                let answer = try await client.execute(
                    uri: Self.concrete(route), method: route.method,
                    headers: [.contentType: "application/x-www-form-urlencoded"])
                switch route.access {
                case .administrator, .bearer:
                    #expect(answer.status == .unauthorized, "\(route.operationID)")
                case .console:
                    #expect(answer.status == .seeOther, "\(route.operationID)")
                    #expect(answer.headers[.location]?.contains("/admin/sign-in") == true, "\(route.operationID)")
                case .client: #expect([400, 401].contains(answer.status.code), "\(route.operationID)")
                // Answered by a page that leads to the sign-in, and by nothing that is somebody's.
                case .session, .form:
                    #expect(answer.headers[.contentType] != "application/json", "\(route.operationID)")
                case .anyone: break
                }
            }
        }
    }

    @Test func `these routes let anybody in, and no others`() {
        let open = Set(RouteTable.all.filter { $0.access == .anyone }.map(\.operationID))
        #expect(
            open == [
                "appleAppSiteAssociation", "assetLinks", "asset", "favicon", "openapi", "openapiConsole",
                "apiDocs", "consoleDocs", "errors",
                "frontPage",
                "explainError",
                "jwks",
                "oauthMetadata",
                "openidConfiguration", "redeem", "redeemByForm", "session", "askToSignOut", "signOut", "signedOut",
                "refreshCookies", "signIn", "beginSignInAnew", "beginPasskeySignInAnew", "beginUpstream",
                "finishUpstream", "hearUpstreamSignOut", "authorize",
                "authorizeByPost", "device",
                "logout", "logoutByPost", "consoleSignIn", "openConsole", "compat_authorize",
                "compat_authorize_sso", "compat_logout", "compat_logout_post", "compat_revoke_all_sessions",
                "beginSignIn", "handOff", "makeHandOff", "beginSelfIssued", "openSelfIssued", "receiveSelfIssued",
                "finishSelfIssued", "selfIssuedStatus", "selfIssuedReturn", "selfIssuedChoice", "selfIssuedRequest",
                "phoneSignIn", "phoneSignInStatus", "phoneSignInLink", "signInCode", "setUpPassword", "chooseLanguage",
            ])
    }

    /// Begins an authorization for an app that forbids web views, and asks every route for it.
    /// - Parameter agent: who asks.
    /// - Returns: operations that are refused because the app could read what is typed.
    private static func operationsRefused(
        _ agent: String, _ client: any TestClientProtocol
    ) async throws -> Set<String> {
        let begun = try await client.execute(
            uri: "/oauth/authorize?response_type=code&client_id=app&redirect_uri=com.example.app%3A%2Fcallback"
                + "&scope=openid&state=s-1&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                + "&code_challenge_method=S256", method: .get)
        let journey = try #require(begun.headers[.location]?.firstMatch(of: #/\?(journey=.+)/#)?.output.1)
        let binding = try #require(
            begun.headers[values: .setCookie].compactMap { $0.firstMatch(of: #/^__Host-drawbridge_form=[^;]+/#) }
                .first?.output)
        var refused: Set<String> = []
        for route in RouteTable.all {
            let isVisit = route.method == .get
            let answer = try await client.execute(
                uri: isVisit ? "\(Self.concrete(route))?\(journey)" : Self.concrete(route), method: route.method,
                headers: [
                    .userAgent: agent, .cookie: String(binding), .contentType: "application/x-www-form-urlencoded",
                ], body: isVisit ? nil : ByteBuffer(string: String(journey)))
            if answer.status == .badRequest, String(buffer: answer.body).contains("could read your password") {
                refused.insert(route.operationID)
            }
        }
        return refused
    }

    @Test func `RFC 8252 §8.12: every route that begins a sign-in or takes a proof refuses a web view`() async throws {
        let app = "client_id: app, client_type: native, client_name: App, redirect_uris: ['com.example.app:/callback']"
        try await withServer(more: "clients: [{\(app), block_webviews: true}]") { client in
            let refused = try await Self.operationsRefused("Mozilla/5.0 (Linux; Android 14; wv) Chrome/130", client)
            #expect(refused == Set(RouteTable.all.filter(\.refusesWebViews).map(\.operationID)))
            let byBrowser = try await Self.operationsRefused("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", client)
            #expect(byBrowser == [])
        }
    }

    @Test func `these routes of the sign-in refuse no web view, and no others`() {
        let open = Set(RouteTable.all.filter { $0.isOfSignIn && !$0.refusesWebViews }.map(\.operationID))
        // They lead to one that does, answer a phone, or go on with what one that does has let begin in this browser.
        #expect(
            open == [
                "beginSignInAnew", "beginPasskeySignInAnew", "finishUpstream", "switchToUpstreamUser",
                "openSelfIssued", "receiveSelfIssued", "finishSelfIssued", "selfIssuedStatus", "selfIssuedChoice",
                "chooseSelfIssued", "continueSelfIssued", "phoneSignInStatus", "phoneSignInLink",
            ])
    }

    @Test func `every route of the administration lets administrators in alone`() {
        for route in RouteTable.all where route.path.hasPrefix("/api/admin/") {
            #expect(route.access == .administrator, "\(route.operationID)")
        }
        for route in RouteTable.all where route.path.hasPrefix("/admin/") && route.path != "/admin/sign-in" {
            #expect(route.access == .console, "\(route.operationID)")
        }
    }

    @Test(arguments: [
        ("/account/devices", true), ("/account/devices/end", true), ("/account/sign-in-link", false),
        ("/v0/sign_in/token", true), ("/v0/login", false), ("/admin", true), ("/admin/anything", true),
        ("/api/x", true), ("/session", true), ("/sessions", false), ("/openapi.json", true),
        ("/login-with-token", false), ("/user/login.php", false), ("/", false),
    ])
    func `a path that is the service's own is reserved`(path: String, isReserved: Bool) {
        #expect(RouteTable.reserves(path) == isReserved)
    }
}

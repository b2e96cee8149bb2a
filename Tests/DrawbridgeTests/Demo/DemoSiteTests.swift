import Bridge
import BridgeHTTP
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import drawbridge

@Suite struct DemoSiteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the whole demo without its listeners.
    private func withDemo(_ body: @Sendable (any TestClientProtocol, any BridgeStorage) async throws -> Void)
        async throws
    {
        let demo = try await DemoInstance(
            folder: try DemoFolder(named: folder.path),
            listen: (ListenAddress(host: "127.0.0.1", port: 8080), ListenAddress(host: "127.0.0.1", port: 8081)),
            issuer: nil, hasLimits: true)
        let composition = try await demo.compose(accessLog: AccessLog { _ in }, logger: Logger(label: "test"))
        let site = DemoSite(composition: composition, issuer: demo.issuer)
        let router = buildRouter(
            services: composition.services, settings: composition.httpSettings, frontPage: false,
            beside: site.besideService, extraRoutes: site.addRoutes)
        try await Application(router: router, logger: Logger(label: "test")).test(.router) { client in
            try await body(client, composition.ground.storage)
        }
        try await composition.ground.storage.close()
    }

    private static func tap(
        _ client: any TestClientProtocol, _ form: String, headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/demo/app", method: .post, headers: headers, body: ByteBuffer(string: form)
        ) { $0 }
    }

    private static func issued(_ storage: any BridgeStorage) async throws -> Int {
        var filter = AuditFilter()
        filter.type = .loginTokenIssued
        return try await storage.search(filter, before: nil, limit: 10).records.count
    }

    @Test func `a tap in the app leads to a login URL for the person and the page`() async throws {
        try await withDemo { client, storage in
            let answer = try await Self.tap(client, "user=bob&path=/account/profile")
            #expect(answer.status == .seeOther)
            let location = try #require(answer.headers[.location])
            #expect(location.hasPrefix("http://127.0.0.1:8080/login-with-token?token=eyJ"))
            #expect(location.hasSuffix("&redirect=%2Faccount%2Fprofile"))
            let issued = try await Self.issued(storage)
            #expect(issued == 1)
        }
    }

    @Test func `the request and its answer can be looked at first`() async throws {
        try await withDemo { client, _ in
            let answer = try await Self.tap(client, "user=alice&path=/contacts&step=show")
            let page = String(buffer: answer.body)
            #expect(answer.status == .ok)
            #expect(page.contains("Authorization: Bearer eyJ") && page.contains("Open the login URL"))
        }
    }

    @Test func `who taps too often is told when to tap again`() async throws {
        try await withDemo { client, _ in
            var page = ""
            for _ in 0..<10 where !page.contains("429") {
                page = String(buffer: try await Self.tap(client, "user=alice&path=/contacts").body)
            }
            #expect(page.contains("Answer: 429"))
            #expect(page.firstMatch(of: #/asks again after [1-9][0-9]* seconds/#) != nil)
        }
    }

    @Test(arguments: [
        [HTTPField.Name.origin: "https://evil.example"], [HTTPField.Name("Sec-Fetch-Site") ?? .origin: "cross-site"],
    ])
    func `another site cannot play the app`(_ headers: [HTTPField.Name: String]) async throws {
        try await withDemo { client, storage in
            var fields: HTTPFields = [:]
            for (name, value) in headers { fields[name] = value }
            let answer = try await Self.tap(client, "user=alice&path=/contacts", headers: fields)
            #expect(answer.status == .forbidden)
            let issued = try await Self.issued(storage)
            #expect(issued == 0)
        }
    }

    @Test func `a page that is not listed is refused where a developer sees it`() async throws {
        try await withDemo { client, storage in
            let answer = try await Self.tap(client, "user=alice&path=//evil.example")
            #expect(String(buffer: answer.body).contains("invalid_redirect"))
            let issued = try await Self.issued(storage)
            #expect(issued == 0)
        }
    }

    @Test(arguments: ["/contacts", "/account/", "/account/profile", "/account/a/b", "/user/contacts/index.php"])
    func `a protected page offers a sign-in when nobody is signed in`(_ path: String) async throws {
        try await withDemo { client, _ in
            let answer = try await client.execute(uri: path, method: .get) { $0 }
            let page = String(buffer: answer.body)
            #expect(answer.status == .ok)
            #expect(page.contains("id=\"sign-in\"") && !page.contains("Signed in as"))
        }
    }

    @Test func `a login URL signs a browser in on the page, by name`() async throws {
        try await withDemo { client, _ in
            let answer = try await Self.tap(client, "user=alice&path=/contacts")
            let location = try #require(answer.headers[.location])
            let link = String(location.dropFirst("http://127.0.0.1:8080".count))
            var navigation: HTTPFields = [:]
            for (name, value) in [
                "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none",
            ] {
                navigation[try #require(HTTPField.Name(name))] = value
            }
            let landing = try await client.execute(uri: link, method: .get, headers: navigation) { $0 }
            #expect(landing.status == .seeOther)
            let cookie = try #require(
                landing.headers[values: .setCookie].first { $0.hasPrefix("__Host-drawbridge_session=") })
            let page = try await client.execute(
                uri: "/contacts", method: .get, headers: [.cookie: String(cookie.prefix { $0 != ";" })]
            ) { String(buffer: $0.body) }
            #expect(page.contains("<strong id=\"subject\">alice</strong>"))
        }
    }
}

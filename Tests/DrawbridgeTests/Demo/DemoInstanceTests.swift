import Bridge
import BridgeHTTP
import Foundation
import Logging
import Testing

@testable import drawbridge

/// The demo is a server on the defaults, but for what it says here.
@Suite struct DemoInstanceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func settings(issuer: String? = nil, hasLimits: Bool = true) async throws -> DrawbridgeSettings {
        let demo = try await DemoInstance(
            folder: try DemoFolder(named: folder.path),
            listen: (ListenAddress(host: "127.0.0.1", port: 8080), ListenAddress(host: "127.0.0.1", port: 8081)),
            issuer: issuer.flatMap { WebOrigin($0) }, hasLimits: hasLimits)
        let composition = try await demo.compose(accessLog: AccessLog { _ in }, logger: Logger(label: "test"))
        try await composition.ground.storage.close()
        return composition.ground.settings
    }

    @Test func `the demo shows what has to be switched on`() async throws {
        let settings = try await self.settings()
        #expect(
            settings.nativeSSO.configured == [.enabled: .flag(true), .allowCrossClientNativeSSO: .flag(true)])
        #expect(settings.nativeSSO.servesSignInCompatibility)
        #expect(settings.site.redemptionPaths == ["/login-with-token", "/user/login-with-token.php"])
        #expect(settings.site.defaultWebClient == DemoClients.web)
        #expect(settings.signInURL == "/sign-in")
        #expect(settings.provider.passwordCost == .light)
        #expect(settings.origins.website.description == "http://127.0.0.1:8080")
        #expect(settings.storage.node == "demo")
        #expect(settings.storage.directory == folder.path)
        #expect(settings.rateLimits.areEnforced)
    }

    @Test func `a demo finds its folder again`() async throws {
        _ = try await self.settings()
        #expect(try await self.settings().storage.directory == folder.path)
    }

    @Test func `an issuer in plain http is the point of a demo`() async throws {
        let settings = try await self.settings(issuer: "http://demo.example", hasLimits: false)
        #expect(settings.origins.issuer.description == "http://demo.example")
        #expect(!settings.rateLimits.areEnforced)
    }

    @Test func `the console lists settings by their names, and no path`() async throws {
        let lines = SettingListing(try await self.settings(), defaultTarget: DemoClients.web).lines
        let summaries = ["redis", "limits"]
        for line in lines {
            #expect(SettingKey.byName[line.name] != nil || summaries.contains(line.name), "\(line.name)")
            #expect(!line.value.contains(folder.path))
        }
        #expect(lines.first { $0.name == "login_token.lifetime" }?.value == "60 s")
        #expect(lines.first { $0.name == "database" }?.value == "embedded SQLite")
        #expect(lines.first { $0.name == "limits" }?.value == "on")
        #expect(lines.first { $0.name == "default_web_client" }?.value == "demo-web")
        #expect(Set(lines.map(\.name)).count == lines.count)
    }
}

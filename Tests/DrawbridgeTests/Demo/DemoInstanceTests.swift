import ArgumentParser
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

    private func demo(issuer: String? = nil, hasLimits: Bool = true) async throws -> DemoInstance {
        try await DemoInstance(
            folder: try DemoFolder(named: folder.path),
            listen: (ListenAddress(host: "127.0.0.1", port: 8080), ListenAddress(host: "127.0.0.1", port: 8081)),
            issuer: issuer.flatMap { WebOrigin($0) }, hasLimits: hasLimits)
    }

    private func settings(issuer: String? = nil, hasLimits: Bool = true) async throws -> DrawbridgeSettings {
        let demo = try await demo(issuer: issuer, hasLimits: hasLimits)
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

    /// What the ready line and the database have of the demo's clients after a start.
    private func clientsOfAStart() async throws -> (told: [ClientID], stored: Set<ClientID>) {
        let demo = try await demo()
        let composition = try await demo.compose(accessLog: AccessLog { _ in }, logger: Logger(label: "test"))
        let told = try await demo.facts(of: composition).clients.map(\.id)
        let stored = Set(try await composition.ground.storage.clients().map(\.id))
        try await composition.ground.storage.close()
        return (told, stored)
    }

    /// As a command or a server of before would.
    private func change(_ body: (any BridgeStorage) async throws -> Bool) async throws {
        let location = try StorageOptions.parse(["--data", folder.path]).location()
        let isChanged = try await ServerStorage.withStorage(at: location, body)
        try #require(isChanged)
    }

    private func delete(_ id: ClientID) async throws {
        let event = AuditEvent(at: TimeSource.system.now(), type: .clientDeleted, outcome: .success, clientID: id)
        try await change { try await $0.deleteClient(id, event: event) }
    }

    @Test func `a client that an administrator deleted stays away at the next start`() async throws {
        _ = try await clientsOfAStart()
        try await delete("demo-rp")
        let next = try await clientsOfAStart()
        #expect(next.stored == ["demo-app", "demo-app-b", "demo-web", "demo-webview", "demo-admin"])
    }

    @Test func `the ready line leaves out a client that is gone`() async throws {
        _ = try await clientsOfAStart()
        try await delete("demo-rp")
        let told = try await clientsOfAStart().told
        #expect(told == ["demo-app", "demo-app-b", "demo-web", "demo-webview", "demo-admin"])
    }

    /// The passwords that the ready line has after a start.
    private func passwordsOfAStart() async throws -> [String: Secret<String>] {
        let demo = try await demo()
        let composition = try await demo.compose(accessLog: AccessLog { _ in }, logger: Logger(label: "test"))
        let passwords = try await demo.facts(of: composition).passwords
        try await composition.ground.storage.close()
        return passwords
    }

    private func setPassword(of subject: Subject, to password: Secret<String>) async throws {
        let now = TimeSource.system.now()
        let hash = try PasswordHash(password, cost: .light, random: .system)
        try await change { storage in
            let outcome = try await storage.changeUser(
                subject, UserChange(passwordHash: hash),
                events: { type, _ in AuditEvent(at: now, type: type, outcome: .success, subject: subject) },
                ending: Ending(at: now, reason: .passwordChanged, origin: nil))
            return if case .changed = outcome { true } else { false }
        }
    }

    @Test func `a password is told as long as it is the account's, also when it was set again`() async throws {
        let first = try await passwordsOfAStart()
        #expect(first.keys.sorted() == ["admin", "alice", "bob"])
        let second = try await passwordsOfAStart()
        #expect(second.mapValues { $0.expose() } == first.mapValues { $0.expose() })
        try await setPassword(of: "bob", to: Secret("another one of bob's"))
        let third = try await passwordsOfAStart()
        #expect(third.keys.sorted() == ["admin", "alice"])
        try await setPassword(of: "bob", to: try #require(first["bob"]))
        let fourth = try await passwordsOfAStart()
        #expect(fourth.keys.sorted() == ["admin", "alice", "bob"])
    }

    @Test func `the website that apps open by default is made again, or no demo would start`() async throws {
        _ = try await clientsOfAStart()
        try await delete(DemoClients.web)
        #expect(try await clientsOfAStart().stored.contains(DemoClients.web))
    }

    @Test func `a first start that was killed among the clients is made good by the next`() async throws {
        _ = try await demo()
        let first = try #require(try DemoClients(folder: DemoFolder(named: folder.path)).all().first)
        let event = AuditEvent(
            at: TimeSource.system.now(), type: .clientCreated, outcome: .success, reason: "demo", clientID: first.id)
        try await change { try await $0.save(first, expecting: .absent, event: event) }
        #expect(try await clientsOfAStart().stored.count == 6)
    }

    @Test func `an issuer in plain http is the point of a demo`() async throws {
        let settings = try await self.settings(issuer: "http://demo.example", hasLimits: false)
        #expect(settings.origins.issuer.description == "http://demo.example")
        #expect(!settings.rateLimits.areEnforced)
    }

    @Test func `a demo with settings that cannot work is refused before there is a database`() async throws {
        let listen = ListenAddress(host: "127.0.0.1", port: 8080)
        let missing = "\(folder.path)/missing.pem"
        let refused = await #expect(throws: SettingsRefused.self) {
            try await DemoInstance(
                folder: try DemoFolder(named: folder.path), listen: (listen, listen), issuer: nil, hasLimits: true,
                tls: (certificate: missing, privateKey: missing))
        }
        #expect(
            refused?.problems.map(\.key) == [
                ListenerSettings.managementListen.key.name, TLSFiles.certificate.key.name,
                TLSFiles.privateKey.key.name,
            ])
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/drawbridge.sqlite"))
    }

    @Test func `a demo may listen beyond loopback in plain http`() async throws {
        _ = try await DemoInstance(
            folder: try DemoFolder(named: folder.path),
            listen: (ListenAddress(host: "0.0.0.0", port: 8080), ListenAddress(host: "127.0.0.1", port: 8081)),
            issuer: nil, hasLimits: true)
    }

    @Test func `the console lists settings by their names, and no path`() async throws {
        let lines = SettingListing(try await self.settings(), defaultTarget: DemoClients.web).lines
        let summaries = ["redis", "limits"]
        for line in lines {
            #expect(SettingKey.byName[line.name] != nil || summaries.contains(line.name), "\(line.name)")
            #expect(!line.value.contains(folder.path))
            #expect(!line.value.isEmpty, "\(line.name)")
        }
        #expect(lines.first { $0.name == "trusted_proxies" }?.value == "none")
        #expect(lines.first { $0.name == "login_token.lifetime" }?.value == "60 s")
        #expect(lines.first { $0.name == "database" }?.value == "embedded SQLite")
        #expect(lines.first { $0.name == "limits" }?.value == "on")
        #expect(lines.first { $0.name == "default_web_client" }?.value == "demo-web")
        #expect(Set(lines.map(\.name)).count == lines.count)
    }
}

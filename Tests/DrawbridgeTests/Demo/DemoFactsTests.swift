import Bridge
import Foundation
import OAuth2
import Testing

@testable import drawbridge

@Suite struct DemoFactsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameter change: what became of each client since it was made.
    private func facts(
        without changed: String? = nil, _ change: (inout Client) -> Void = { _ in }
    ) async throws -> DemoFacts {
        let folder = try DemoFolder(named: folder.path)
        try await DemoMaterial.prepare(in: folder, sharedBy: nil)
        let accounts = try DemoAccounts(folder: folder)
        let passwords = DemoPerson.all.map { ($0.subject, accounts.password(of: $0)) }
        let clients = try DemoClients(folder: folder)
        return DemoFacts(
            baseURL: "http://127.0.0.1:8080", managementURL: "http://127.0.0.1:8081",
            issuerURL: "http://127.0.0.1:8080", processID: 7, issuer: try DemoIssuer(folder: folder),
            passwords: Dictionary(uniqueKeysWithValues: passwords.filter { $0.0 != changed }),
            clients: try clients.all().map { client in
                var client = client
                change(&client)
                return client
            }, secrets: clients, adminToken: Secret("token-of-the-administrator"))
    }

    @Test func `the ready line is one line with what tools rely on`() async throws {
        let line = try await facts().line()
        #expect(!line.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["base_url"] as? String == "http://127.0.0.1:8080")
        #expect(object["management_url"] as? String == "http://127.0.0.1:8081")
        #expect(object["pid"] as? Int == 7)
        let users = try #require(object["users"] as? [[String: String]])
        #expect(users.map { $0["username"] } == ["alice", "bob", "admin"])
        #expect(users.last?["role"] == "admin")
        #expect(users.allSatisfy { ($0["password"] ?? "").count == 16 } && users[0]["role"] == nil)
        let issuer = try #require(object["trusted_issuer"] as? [String: String])
        #expect(issuer["kid"] == "demo")
        #expect(Base64URL.decode(issuer["hmac_secret"] ?? "")?.count == 32)
        let clients = try #require(object["clients"] as? [[String: Any]])
        #expect(
            clients.map { $0["client_id"] as? String }
                == ["demo-app", "demo-app-b", "demo-web", "demo-webview", "demo-rp", "demo-admin"])
        #expect(clients[0]["may_reach"] as? [String] == ["demo-web"])
        #expect(clients[2]["return_paths"] as? [String] == ["/contacts", "/account/*", "/user/contacts/index.php"])
        #expect(object["admin_token"] as? String == "token-of-the-administrator")
        let secrets = clients.map { ($0["client_secret"] as? String).flatMap { OpaqueSecret($0, kind: .clientSecret) } }
        #expect(secrets.map { $0 != nil } == [false, false, true, false, true, true])
        #expect(!line.contains("client_secret_digest"))
    }

    @Test func `a password and a secret that are others by now are left out of the ready line`() async throws {
        let facts = try await facts(without: "bob") { client in
            if client.id == "demo-rp" { client.secretDigest = OpaqueSecret.make(.clientSecret, random: .system).digest }
            if client.id == "demo-web" { client.secretDigest = nil }
        }
        let object = try #require(try JSONSerialization.jsonObject(with: Data(facts.line().utf8)) as? [String: Any])
        let users = try #require(object["users"] as? [[String: String]])
        #expect(users.map { $0["username"] } == ["alice", "bob", "admin"])
        #expect(users.map { $0["password"] != nil } == [true, false, true])
        let clients = try #require(object["clients"] as? [[String: Any]])
        #expect(clients.filter { $0["client_secret"] != nil }.map { $0["client_id"] as? String } == ["demo-admin"])
    }

    @Test func `the guide prints no password that is another by now`() {
        func text(_ password: String?) -> String {
            DemoGuide(
                baseURL: "http://127.0.0.1:8080", managementURL: "http://127.0.0.1:8081", record: "--data /tmp/demo",
                bearer: Secret("bearer"), password: password.map { Secret($0) },
                adminPassword: password.map { Secret("admin-\($0)") }, adminToken: Secret("token")
            ).text
        }
        #expect(text("abcdefgh").contains("Your browser asks: alice, abcdefgh\n"))
        #expect(text("abcdefgh").contains("Or sign in with an account: admin, admin-abcdefgh\n"))
        #expect(text(nil).contains("Or sign in with an account: admin, whose password is another by now\n"))
        #expect(text(nil).contains("Your browser asks: alice, and her password, which is not the demo's any more\n"))
    }

    @Test func `secrets stay the same in one folder, for its owner only`() async throws {
        let folder = try DemoFolder(named: folder.path)
        try await DemoMaterial.prepare(in: folder, sharedBy: nil)
        let first = try DemoMaterial.allCases.map { try PrivateFile.read(folder.path(of: $0)) }
        try await DemoMaterial.prepare(in: folder, sharedBy: nil)
        #expect(try DemoMaterial.allCases.map { try PrivateFile.read(folder.path(of: $0)) } == first)
        #expect(!first.contains([]))
        for part in DemoMaterial.allCases {
            let path = folder.path(of: part)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            await #expect(throws: PrivateFileError.self) { try await DemoMaterial.prepare(in: folder, sharedBy: nil) }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    @Test(arguments: ["drawbridge.sqlite", "master-key"])
    func `a service's folder stays as it is`(file: String) async throws {
        _ = try self.folder.file(file, "")
        let folder = try DemoFolder(named: folder.path)
        let refused = await #expect(throws: DemoRefusal.self) {
            try await DemoMaterial.prepare(in: folder, sharedBy: nil)
        }
        #expect(refused?.description == "what is in \(folder.path) is not a demo's; name another folder with --data")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [file])
    }

    @Test func `a temporary folder goes, a named one stays`() throws {
        let temporary = try DemoFolder(named: nil)
        #expect(FileManager.default.fileExists(atPath: temporary.path))
        temporary.discard()
        #expect(!FileManager.default.fileExists(atPath: temporary.path))
        let named = try DemoFolder(named: folder.path)
        named.discard()
        #expect(FileManager.default.fileExists(atPath: folder.path))
    }
}

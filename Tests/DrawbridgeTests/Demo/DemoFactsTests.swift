import Bridge
import Foundation
import OAuth2
import Testing

@testable import drawbridge

@Suite struct DemoFactsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func facts() async throws -> DemoFacts {
        let folder = try DemoFolder(named: folder.path)
        try await DemoMaterial.prepare(in: folder, sharedBy: nil)
        let clients = try DemoClients(folder: folder)
        return DemoFacts(
            baseURL: "http://127.0.0.1:8080", managementURL: "http://127.0.0.1:8081",
            issuerURL: "http://127.0.0.1:8080", processID: 7, issuer: try DemoIssuer(folder: folder),
            accounts: try DemoAccounts(folder: folder),
            clients: try clients.all(), secrets: clients, adminToken: Secret("token-of-the-administrator"))
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

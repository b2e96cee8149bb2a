import Foundation
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresTLSTests {
    @Test func `a server is believed with the right name and a known issuer only`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "drawbridge-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Self.makeCertificate(in: folder.path)
        let server = try await PostgresServer.start(settings: [
            "ssl = on", "ssl_cert_file = '\(folder.path)/cert.pem'", "ssl_key_file = '\(folder.path)/key.pem'",
        ])
        func connect(host: String, rootCertificate: String) throws -> String {
            let address = try PostgresAddress(
                """
                host=\(host) hostaddr=127.0.0.1 port=\(server.port) user=drawbridge dbname=postgres \
                sslrootcert=\(folder.path)/\(rootCertificate)
                """)
            let session = try PostgresSession.connected(to: address)
            return try session.run("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")[0].text(0)
        }
        #expect(try connect(host: "db.example", rootCertificate: "cert.pem") == "TLSv1.3")
        #expect(throws: SQLError.self) { try connect(host: "other.example", rootCertificate: "cert.pem") }
        #expect(throws: SQLError.self) { try connect(host: "db.example", rootCertificate: "missing.pem") }
        await server.end()
    }

    private static func makeCertificate(in folder: String) throws {
        let script = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=db.example \
                -addext subjectAltName=DNS:db.example -keyout "$1/key.pem" -out "$1/cert.pem" 2>/dev/null || exit 1
            chmod 755 "$1"; chmod 644 "$1/cert.pem"; chmod 600 "$1/key.pem"
            if [ "$(id -u)" = 0 ]; then chown postgres: "$1/key.pem"; fi
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", folder]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}

import Foundation

/// An authority and three certificates of it, made by openssl: a server's for 127.0.0.1, one for another name, and a
/// client's.
struct Certificates {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        try openssl(
            ["req", "-x509", "-subj", "/CN=Test authority", "-keyout", "authority.key", "-out", "authority.pem"] + key)
        for (name, extensions) in [
            ("server", "subjectAltName=IP:127.0.0.1"), ("elsewhere", "subjectAltName=DNS:elsewhere.example"),
            ("client", "extendedKeyUsage=clientAuth"),
        ] {
            try openssl(
                [
                    "req", "-x509", "-subj", "/CN=\(name)", "-addext", extensions, "-addext",
                    "basicConstraints=critical,CA:FALSE", "-CA", "authority.pem", "-CAkey", "authority.key", "-keyout",
                    "\(name).key", "-out", "\(name).pem",
                ] + key)
        }
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }

    struct Failed: Error, CustomStringConvertible {
        let description = "openssl failed"
    }
}

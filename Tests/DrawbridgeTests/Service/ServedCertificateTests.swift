import Bridge
import BridgeHTTP
import BridgeTestSupport
import Foundation
import Testing

@testable import drawbridge

/// The certificate of a server that goes on running.
@Suite struct ServedCertificateTests {
    private static let day = Duration.seconds(86_400)

    private struct OpenSSLFailed: Error {}

    private let folder: TemporaryFolder
    private let lines = JSONLogLines()
    private let metrics = PrometheusMetrics()
    private let files: TLSCertificate

    init() throws {
        folder = try TemporaryFolder()
        files = TLSCertificate(certificatePath: "\(folder.path)/live.pem", keyPath: "\(folder.path)/live.key")
    }

    /// Puts a new certificate and its key in the place of those before.
    /// - Returns: when it expires.
    private func renew(days: Int) throws -> Timestamp {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=localhost", "-days", "\(days)", "-keyout", files.keyPath, "-out", files.certificatePath,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw OpenSSLFailed() }
        return try #require(try files.expiry())
    }

    private func serve(_ clock: SettableClock) throws -> ServedCertificate {
        try ServedCertificate(files, metrics: metrics, time: clock.source, logger: lines.logger)
    }

    @Test func `a certificate that nobody renews is told of day by day`() throws {
        let clock = SettableClock(try renew(days: 30) - Self.day * 14)
        let certificate = try serve(clock)
        certificate.warn()
        #expect(lines.all == [])
        for days in 1...2 {
            clock.advance(Self.day)
            certificate.warn()
            #expect(lines.count(of: "live.pem expires on ") == days)
        }
        clock.advance(Self.day * 13)
        certificate.warn()
        #expect(lines.count(of: "live.pem expired on ") == 1)
        #expect(lines.count(of: "renew it, then send SIGHUP") == 3)
    }

    @Test func `a certificate that was renewed without a word is told of as the one in use`() throws {
        let first = try renew(days: 30)
        let clock = SettableClock(first - Self.day)
        let certificate = try serve(clock)
        let second = try renew(days: 60)
        certificate.warn()
        #expect(lines.count(of: "its file has a later one, so send SIGHUP") == 1)
        let sample = "drawbridge_tls_certificate_expiry_timestamp_seconds"
        #expect(metrics.exposition().contains("\(sample) \(Double(first.seconds))\n"))
        try certificate.reload()
        certificate.warn()
        #expect(metrics.exposition().contains("\(sample) \(Double(second.seconds))\n"))
        #expect(lines.all.count == 1)
    }

    @Test func `a later certificate that a reload could not take in is told of as that`() throws {
        let certificate = try serve(SettableClock(try renew(days: 30) - Self.day))
        _ = try renew(days: 60)
        let key = try Data(contentsOf: URL(fileURLWithPath: files.keyPath))
        try FileManager.default.removeItem(atPath: files.keyPath)
        let problem = #expect(throws: TLSCertificate.Problem.self) { try certificate.reload() }
        #expect(problem?.description == "\(files.keyPath) cannot be read: No such file or directory")
        certificate.warn()
        #expect(lines.count(of: "which could not be taken in (see `could not reload certificate`)") == 1)
        try key.write(to: URL(fileURLWithPath: files.keyPath))
        try certificate.reload()
        certificate.warn()
        #expect(lines.all.count == 1)
    }

    @Test func `files that cannot be used leave the certificate in use as it was`() throws {
        let expiry = try renew(days: 30)
        let certificate = try serve(SettableClock(expiry - Self.day))
        _ = try folder.file("live.pem", "junk")
        #expect(throws: TLSCertificate.Problem.self) { try certificate.reload() }
        certificate.warn()
        #expect(lines.count(of: "live.pem expires on ") == 1)
    }
}

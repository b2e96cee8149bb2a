import NIOCore
import NIOSSL

/// Whom a connection to a receiver trusts, and what it shows of us.
///
/// The files are read with every connection, so that certificates can be renewed without a restart.
package struct AuditForwardTLS: Hashable, Sendable {
    /// Trusted instead of the system's authorities.
    package let authorityPath: String?
    /// Our own certificate with its chain, and its key, for receivers that ask for one.
    package let certificatePath: String?
    package let keyPath: String?

    package init(authorityPath: String? = nil, certificatePath: String? = nil, keyPath: String? = nil) {
        self.authorityPath = authorityPath
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    /// - Throws: when a file cannot be read or does not fit.
    package func check() throws { _ = try NIOSSLContext(configuration: configuration()) }

    func configuration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if let authorityPath { configuration.trustRoots = .file(authorityPath) }
        if let certificatePath, let keyPath {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificatePath).map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem))
        }
        return configuration
    }

    func makeHandler(host: String, port: Int) throws -> NIOSSLClientHandler {
        // A literal address is no server name (RFC 6066 §3); the certificate is then checked against the peer's address.
        let isLiteral = (try? SocketAddress(ipAddress: host, port: port)) != nil
        return try NIOSSLClientHandler(
            context: try NIOSSLContext(configuration: configuration()), serverHostname: isLiteral ? nil : host)
    }
}

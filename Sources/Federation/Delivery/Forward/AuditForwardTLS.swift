import ClientTLS
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
        try OutboundTLS.configuration(
            authorityPath: authorityPath, certificatePath: certificatePath, keyPath: keyPath)
    }

    func makeHandler(host: String, port: Int) throws -> NIOSSLClientHandler {
        try OutboundTLS.makeHandler(try NIOSSLContext(configuration: configuration()), host: host, port: port)
    }
}

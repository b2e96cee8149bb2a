import NIOCore
package import NIOSSL

/// The TLS side of connections that this service opens to servers that its operator names.
package enum OutboundTLS {
    /// Reads the files.
    /// - Parameters:
    ///   - authorityPath: PEM file of whom to trust instead of the system's authorities.
    ///   - certificatePath: PEM file with our own certificate and its chain, for servers that ask for one.
    ///   - keyPath: its private key.
    ///   - checksHostname: whether the certificate must name the host. The chain is checked in any case.
    /// - Throws: when a file cannot be read.
    package static func configuration(
        authorityPath: String?, certificatePath: String?, keyPath: String?, checksHostname: Bool = true
    ) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = checksHostname ? .fullVerification : .noHostnameVerification
        if let authorityPath { configuration.trustRoots = .file(authorityPath) }
        if let certificatePath, let keyPath {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificatePath).map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem))
        }
        return configuration
    }

    /// What speaks TLS with one server.
    package static func makeHandler(_ context: NIOSSLContext, host: String, port: Int) throws -> NIOSSLClientHandler {
        // A literal address is no server name (RFC 6066 §3); the certificate is then checked against the peer's
        // address.
        let isLiteral = (try? SocketAddress(ipAddress: host, port: port)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isLiteral ? nil : host)
    }
}

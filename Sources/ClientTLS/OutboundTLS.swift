import NIOCore
package import NIOSSL

/// The TLS side of connections that this service opens to other servers.
package enum OutboundTLS {
    /// TLS 1.2 or later (RFC 8996), by the system's authorities, and with the host's name checked.
    package static var usual: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    /// For a server that the operator names. Reads the files.
    /// - Parameters:
    ///   - authorityPath: PEM file of whom to trust instead of the system's authorities.
    ///   - certificatePath: PEM file with our own certificate and its chain, for servers that ask for one.
    ///   - keyPath: its private key.
    ///   - checksHostname: whether the certificate must name the host. The chain is checked in any case.
    /// - Throws: when a file cannot be read.
    package static func configuration(
        authorityPath: String?, certificatePath: String?, keyPath: String?, checksHostname: Bool = true
    ) throws -> TLSConfiguration {
        var configuration = usual
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

import NIOCore
import NIOSSL

/// The TLS side of a connection to Redis.
package struct RedisTLS: Sendable {
    let context: NIOSSLContext

    /// Reads the files.
    /// - Parameters:
    ///   - authorityPath: PEM file of whom to trust instead of the system's authorities.
    ///   - certificatePath: PEM file with our own certificate and its chain, for servers that ask for one.
    ///   - keyPath: its private key.
    ///   - checksHostname: whether the certificate must name the host. The chain is checked in any case.
    /// - Throws: when a file cannot be read or does not fit.
    package init(
        authorityPath: String? = nil, certificatePath: String? = nil, keyPath: String? = nil,
        checksHostname: Bool = true
    ) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = checksHostname ? .fullVerification : .noHostnameVerification
        if let authorityPath { configuration.trustRoots = .file(authorityPath) }
        if let certificatePath, let keyPath {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificatePath).map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem))
        }
        context = try NIOSSLContext(configuration: configuration)
    }

    func makeHandler(for address: RedisAddress) throws -> NIOSSLClientHandler {
        // A literal address is no server name (RFC 6066 §3); the certificate is then checked against the peer's address.
        let isLiteral = (try? SocketAddress(ipAddress: address.host, port: address.port)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isLiteral ? nil : address.host)
    }
}

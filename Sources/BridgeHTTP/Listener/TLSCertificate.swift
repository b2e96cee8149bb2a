package import NIOSSL

/// The server's certificate and key, which may be replaced while it runs.
package struct TLSCertificate: Sendable {
    package let certificatePath: String
    package let keyPath: String

    package init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    /// Reads both files.
    /// - Throws: when one cannot be read or the key does not belong to the certificate; then keep what is in use.
    package func load() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificatePath).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}

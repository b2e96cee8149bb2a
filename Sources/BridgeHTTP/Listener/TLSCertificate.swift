package import Bridge
import Foundation
import NIOCore
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
    package func load() throws(Problem) -> NIOSSLContext { try read().context }

    /// As ``load()``, with when the certificate expires.
    package func read() throws(Problem) -> (context: NIOSSLContext, expiry: Timestamp?) {
        let chain = try chain()
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: keyPath, format: .pem)
        } catch {
            throw .privateKey(path: keyPath, code: Self.obstacle(to: keyPath))
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // A peer that was waited for once is waited for again here, to say that it has heard of the end.
        configuration.shutdownTimeout = .seconds(1)
        do {
            return (try NIOSSLContext(configuration: configuration), Self.expiry(of: chain))
        } catch {
            throw .mismatch(keyPath: keyPath, certificatePath: certificatePath)
        }
    }

    /// When the server's own certificate, the first of its file, expires.
    package func expiry() throws(Problem) -> Timestamp? {
        Self.expiry(of: try chain())
    }

    private static func expiry(of chain: [NIOSSLCertificate]) -> Timestamp? {
        chain.first.map { Timestamp(seconds: Int64($0.notValidAfter)) }
    }

    private func chain() throws(Problem) -> [NIOSSLCertificate] {
        do {
            return try NIOSSLCertificate.fromPEMFile(certificatePath)
        } catch {
            throw .certificate(path: certificatePath, code: Self.obstacle(to: certificatePath))
        }
    }

    /// The system's number for why a file cannot be opened; `nil` where it is what the file holds that cannot be used.
    private static func obstacle(to path: String) -> CInt? { access(path, R_OK) == 0 ? nil : errno }
}

extension TLSCertificate {
    /// Which of the files cannot be used.
    package enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// - Parameter code: the system's number for why it cannot be opened; `nil` where it can be.
        case certificate(path: String, code: CInt?)
        case privateKey(path: String, code: CInt?)
        case mismatch(keyPath: String, certificatePath: String)

        /// The file that it is about.
        private var path: String {
            switch self {
            case .certificate(let path, _), .privateKey(let path, _), .mismatch(let path, _): path
            }
        }

        /// What is wrong with the file and what to do, without its name and a full stop.
        package var text: String {
            switch self {
            case .certificate(_, let code?), .privateKey(_, let code?): Self.unreadable(code)
            case .certificate:
                "holds no certificate that can be read; it must be in PEM form, the server's own first, then those "
                    + "that vouch for it"
            case .privateKey: "holds no private key that can be read; it must be in PEM form, without a passphrase"
            case .mismatch(_, let certificatePath):
                "does not belong to the first certificate in \(certificatePath); name the two that were issued together"
            }
        }

        package var description: String { "\(path) \(text)" }

        private static func unreadable(_ code: CInt) -> String {
            let remedy =
                code == EACCES
                ? "; give it to the account that runs the server (chown), which must be let into its folder too" : ""
            return "cannot be read: \(String(cString: strerror(code)))\(remedy)"
        }
    }
}

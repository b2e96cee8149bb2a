import BridgeHTTP
import Foundation
import NIOSSL

/// The files of connections that this service opens with TLS: whom to trust, and what it shows of itself.
///
/// Each is looked at before a library is given all of them, whose errors name neither the file nor the setting.
struct ClientTLSFiles {
    enum File { case authority, certificate, privateKey }

    /// What is wrong with one of the files, for the setting that names it.
    struct Problem {
        let file: File
        let path: String
        let text: String
    }

    let authority: String?
    let certificate: String?
    let privateKey: String?

    /// The certificate and its key are of no use without each other.
    var isHalf: Bool { (certificate == nil) != (privateKey == nil) }

    /// All that is wrong, as `tls.certificate` and `tls.private_key` are told it.
    var problems: [Problem] {
        var problems: [Problem] = []
        if let authority, let text = Self.fault(ofAuthority: authority) {
            problems.append(Problem(file: .authority, path: authority, text: text))
        }
        let known = problems.count
        if let certificate, let text = Self.unreadable(certificate) {
            problems.append(Problem(file: .certificate, path: certificate, text: text))
        }
        if let privateKey {
            do {
                _ = try PrivateFile.read(privateKey)
            } catch {
                problems.append(Problem(file: .privateKey, path: privateKey, text: "\(error)"))
            }
        }
        if problems.count == known, let certificate, let privateKey {
            problems += Self.faults(ofPair: TLSCertificate(certificatePath: certificate, keyPath: privateKey))
        }
        return problems
    }

    private static func faults(ofPair pair: TLSCertificate) -> [Problem] {
        do throws(TLSCertificate.Problem) {
            _ = try pair.load()
            return []
        } catch {
            switch error {
            case .certificate: return [Problem(file: .certificate, path: pair.certificatePath, text: error.text)]
            case .privateKey, .mismatch: return [Problem(file: .privateKey, path: pair.keyPath, text: error.text)]
            }
        }
    }

    private static func fault(ofAuthority path: String) -> String? {
        if let text = unreadable(path) { return text }
        var isDirectory: ObjCBool = false
        // A folder with a file for each authority does as well.
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue { return nil }
        let certificates = (try? NIOSSLCertificate.fromPEMFile(path)) ?? []
        return certificates.isEmpty ? "holds no certificate that can be read; it must be in PEM form" : nil
    }

    private static func unreadable(_ path: String) -> String? {
        access(path, R_OK) == 0 ? nil : "cannot be read: \(SystemFailure.words(errno))"
    }
}

import NIOCore
import NIOPosix
import NIOSSL

/// Why another server gave no answer at all. Holds no text from outside, so that it can be logged.
enum FetchObstacle: Hashable {
    /// - Parameter problem: in our words.
    case tls(_ problem: String)
    case noName
    case nobody
    case unreadable

    init(_ error: any Error) {
        self =
            switch error {
            case let error as NIOSSLError: .tls(Self.problem(error))
            case is NIOSSLExtraError: .tls("the certificate is for another name")
            case is BoringSSLError: .tls("the certificate is not trusted here, or no version in common")
            case let error as NIOConnectionError where error.dnsAError != nil && error.dnsAAAAError != nil: .noName
            // The first of an address that needed no name looked up.
            case is IOError, is NIOConnectionError: .nobody
            default: .unreadable
            }
    }

    var text: String {
        switch self {
        case .tls(let problem): "TLS fails: \(problem)"
        case .noName: "its name leads nowhere: DNS knows no address"
        case .nobody: "nobody listens there now"
        case .unreadable: "no answer that could be read, from here at least"
        }
    }

    private static func problem(_ error: NIOSSLError) -> String {
        if case .handshakeFailed = error {
            return "the certificate is not trusted here, has expired, or is for another name, or TLS is older than 1.2"
        }
        return "the server speaks no TLS there, or none that is safe"
    }
}

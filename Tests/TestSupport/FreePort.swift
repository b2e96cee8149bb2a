import Foundation
import Synchronization

/// Ports of loopback that were free a moment ago, each given once by a process.
///
/// It reserves nothing: another process may take a port before the test's server opens it. All are below the range that
/// the system hands out for port 0, or another connection could.
package enum FreePort {
    package struct NoneLeft: Error {}

    private static let given = Mutex<Set<UInt16>>([])

    package static func pick() throws -> UInt16 {
        try pick(from: 12_000..<20_000) { isFree($0) }
    }

    /// A port that is free, and so is the one 10 000 above, as a node of a Redis cluster needs it.
    package static func pickOfTwo() throws -> UInt16 {
        try pick(from: 20_000..<22_700) { isFree($0) && isFree($0 + 10_000) }
    }

    private static func pick(from range: Range<UInt16>, where isFree: (UInt16) -> Bool) throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: range)
            if given.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
        }
        throw NoneLeft()
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

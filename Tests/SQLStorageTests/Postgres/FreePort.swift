import Foundation
import Synchronization

/// Ports that were free a moment ago, each given once.
///
/// Below the range that the system hands out for port 0, or another test's server could take one before ours starts.
enum FreePort {
    struct NoPort: Error {}

    private static let given = Mutex<Set<UInt16>>([])

    static func pick() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 12_000..<20_000)
            if given.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
        }
        throw NoPort()
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

import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Ports that were free a moment ago, each given once.
enum FreePort {
    private static let given = Mutex<Set<Int>>([])

    /// A port that is free, and so is the one 10 000 above: a cluster's nodes talk there. Both are below the range that
    /// the system hands out, or another's connection could take one before the server opens it.
    static func next() throws -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: 20_000..<22_700)
            guard given.withLock({ $0.insert(port).inserted }), isFree(port), isFree(port + 10_000) else { continue }
            return port
        }
        throw NoFreePort()
    }

    private static func isFree(_ port: Int) -> Bool {
        let channel = try? ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port).wait()
        guard let channel else { return false }
        return (try? channel.close().wait()) != nil
    }

    struct NoFreePort: Error {}
}

import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Takes in a response's body, so that the demo can show it.
final class BodyCollector: ResponseBodyWriter, Sendable {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

import Synchronization

/// Wakes what waits for work before its timer does.
final class NoticeBell: Sendable {
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    func ring() {
        for listener in listeners.withLock({ $0 }) { listener.yield() }
    }

    /// Rings that come while the last one is being answered count as one.
    func rings() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(continuation) }
        return stream
    }
}

import Synchronization

/// Wakes a worker before its timer does.
final class NoticeBell: Sendable {
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    func ring() {
        for listener in listeners.withLock({ $0 }) { listener.yield() }
    }

    /// Rings during a run are coalesced into one.
    func rings() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(continuation) }
        return stream
    }
}

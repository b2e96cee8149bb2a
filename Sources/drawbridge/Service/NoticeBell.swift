import Synchronization

/// Wakes a worker before its timer does.
final class NoticeBell: Sendable {
    private struct Listeners {
        var all: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let listeners = Mutex(Listeners())

    func ring() {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield() }
    }

    /// Rings during a run are coalesced into one.
    func rings() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners in
            listeners.count += 1
            listeners.all[listeners.count] = continuation
            return listeners.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { $0.all[number] = nil }
        }
        return stream
    }
}

import Bridge
import Synchronization

/// Tells how long the one connection that writes was held, and by what.
final class WriterWatch: Sendable {
    typealias Body = @Sendable (WriterWork, Duration) -> Void

    /// A function by itself would be wrapped again each time that it is taken out of the lock, and the wrapping kept.
    private struct Observer {
        var body: Body?
    }

    private let observer = Mutex(Observer())

    func observe(_ body: @escaping Body) { observer.withLock { $0 = Observer(body: body) } }

    func note(_ work: WriterWork, taking time: Duration) { observer.withLock { $0 }.body?(work, time) }
}

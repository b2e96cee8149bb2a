import Bridge
import Synchronization

/// Tells how long the one connection that writes was held, and by what, and how many writes wait for it.
final class WriterWatch: Sendable {
    typealias Body = @Sendable (WriterWork, Duration) -> Void

    /// A function by itself would be wrapped again each time that it is taken out of the lock, and the wrapping kept.
    private struct Observer {
        var body: Body?
        var ofQueue: (@Sendable (Int) -> Void)?
    }

    private let observer = Mutex(Observer())

    func observe(_ body: @escaping Body) { observer.withLock { $0.body = body } }

    func observeQueue(_ body: @escaping @Sendable (_ waiting: Int) -> Void) {
        observer.withLock { $0.ofQueue = body }
    }

    func note(_ work: WriterWork, taking time: Duration) { observer.withLock { $0 }.body?(work, time) }

    func note(waiting count: Int) { observer.withLock { $0 }.ofQueue?(count) }
}

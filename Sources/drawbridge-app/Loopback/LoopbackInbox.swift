import Synchronization

/// Where the listener's connections bring what the browser opened. Takes one answer, ever.
final class LoopbackInbox: Sendable {
    /// What an address that came in is to us.
    enum Reception: Sendable {
        /// Not of this sign-in; the listener goes on.
        case notOurs
        /// The answer, and it looks good.
        case finished
        /// The answer, and it says no or must not be taken.
        case unfinished
    }

    private struct State {
        var judge: (@Sendable (String) -> Reception)?
        var isTaken = false
    }

    private let state = Mutex(State())
    /// The only path at which an answer is taken.
    let path: String
    let answers: AsyncStream<String>
    private let feed: AsyncStream<String>.Continuation

    init(path: String) {
        self.path = path
        (answers, feed) = AsyncStream.makeStream(of: String.self)
    }

    func open(_ judge: @escaping @Sendable (String) -> Reception) { state.withLock { $0.judge = judge } }

    /// Judges an address; the first that is ours is the only one.
    func receive(_ address: String) -> Reception {
        state.withLock { state in
            guard let judge = state.judge, !state.isTaken else { return .notOurs }
            let reception = judge(address)
            if reception != .notOurs { state.isTaken = true }
            return reception
        }
    }

    /// Hands the answer over; called once its page is on the way to the browser.
    func deliver(_ address: String) {
        feed.yield(address)
        feed.finish()
    }

    func close() { feed.finish() }
}

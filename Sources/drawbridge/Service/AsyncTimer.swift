/// Ticks until its task is cancelled. A tick that took long delays the next one; none pile up.
struct AsyncTimer: AsyncSequence, Sendable {
    let interval: Duration

    init(every interval: Duration) { self.interval = interval }

    struct Iterator: AsyncIteratorProtocol {
        let interval: Duration

        mutating func next() async -> Void? {
            do {
                try await Task.sleep(for: interval)
                return ()
            } catch {
                return nil
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(interval: interval) }
}

/// Ticks until its task is cancelled. A slow tick delays the next one; ticks never pile up.
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

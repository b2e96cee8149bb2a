/// Ticks until its task is cancelled. A slow tick delays the next one; ticks never pile up.
package struct AsyncTimer: AsyncSequence, Sendable {
    private let interval: Duration

    package init(every interval: Duration) { self.interval = interval }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let interval: Duration

        package mutating func next() async -> Void? {
            do {
                try await Task.sleep(for: interval)
                return ()
            } catch {
                return nil
            }
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(interval: interval) }
}

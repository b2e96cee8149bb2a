/// What a page of metrics waits for before it is written.
enum MetricsPatience {
    /// Redis has 250 ms for each of two round trips, but the way to a cluster's nodes may take longer.
    private static let limit = Duration.seconds(1)

    /// Waits for `work`, which goes on where it takes too long: what it finds is on a later page then.
    static func wait(for work: @escaping @Sendable () async -> Void) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task {
            await work()
            end.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }
}

/// How long each of many calls took.
struct Latencies: Sendable {
    private let milliseconds: [Double]

    /// Calls `body` from several callers, one call after the other each, for as long as `duration`.
    /// - Parameter body: gets a number that differs from call to call.
    static func measure(
        callers: Int, for duration: Duration, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Latencies {
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var times: [Double] = []
                    while .now < end {
                        let taken = try await ContinuousClock().measure {
                            try await body(times.count * callers + caller)
                        }
                        times.append(taken / .milliseconds(1))
                    }
                    return times
                }
            }
            return Latencies(milliseconds: try await group.reduce(into: []) { $0 += $1 }.sorted())
        }
    }

    private init(milliseconds: [Double]) { self.milliseconds = milliseconds }

    func perSecond(over duration: Duration) -> Int { Int(Double(milliseconds.count) / (duration / .seconds(1))) }

    /// - Parameter share: 0.99 for the time that 99 of 100 calls did not exceed.
    func percentile(_ share: Double) -> String {
        guard !milliseconds.isEmpty else { return "-" }
        let place = min(milliseconds.count - 1, Int(Double(milliseconds.count) * share))
        return String((milliseconds[place] * 100).rounded() / 100)
    }

    var summary: String { "p50 \(percentile(0.5)) ms, p99 \(percentile(0.99)) ms, longest \(percentile(1)) ms" }
}

/// Numbers under each other.
enum Columns {
    static func right(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

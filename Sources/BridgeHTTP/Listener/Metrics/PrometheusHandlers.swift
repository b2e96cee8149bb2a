import CoreMetrics
import Synchronization

final class PrometheusCounter: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }
}

final class PrometheusGauge: MeterHandler, RecorderHandler {
    private let current = Mutex(0.0)

    var value: Double { current.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { current.withLock { $0 = value } }
    func increment(by amount: Double) { current.withLock { $0 += amount } }
    func decrement(by amount: Double) { current.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// Durations in seconds, or plain values for a recorder.
final class PrometheusHistogram: TimerHandler, RecorderHandler {
    /// From half a millisecond, a good answer, to ten seconds, after which clients give up.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private struct State {
        var counts = [UInt64](repeating: 0, count: PrometheusHistogram.bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let index = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func exposition(name: String, labels: String) -> String {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : labels + ","
        var output = ""
        var cumulative: UInt64 = 0
        for (bound, count) in zip(Self.bounds, state.counts) {
            cumulative += count
            output += PrometheusText.sample("\(name)_bucket", "\(prefix)le=\"\(bound)\"", "\(cumulative)")
        }
        cumulative += state.counts.last ?? 0
        output += PrometheusText.sample("\(name)_bucket", "\(prefix)le=\"+Inf\"", "\(cumulative)")
        output += PrometheusText.sample("\(name)_sum", labels, PrometheusText.number(state.sum))
        output += PrometheusText.sample("\(name)_count", labels, "\(cumulative)")
        return output
    }
}

package import CoreMetrics
import Synchronization

/// A swift-metrics backend that renders the Prometheus text format 0.0.4.
///
/// Series are made once and found again, so labels must be bounded; a label that grows beyond ``maximumSeries`` stops
/// being recorded instead of filling memory.
package final class PrometheusMetrics: MetricsFactory {
    /// The most series over all names.
    package static let maximumSeries = 10_000

    private struct SeriesKey: Hashable {
        let name: String
        let labels: String
    }

    private enum Series {
        case counter(PrometheusCounter)
        case gauge(PrometheusGauge)
        case histogram(PrometheusHistogram)
    }

    private let series = Mutex<[SeriesKey: Series]>([:])

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        make(label, dimensions, PrometheusCounter()) {
            if case .counter(let counter) = $0 { counter } else { nil }
        } wrap: {
            .counter($0)
        }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        make(label, dimensions, PrometheusGauge()) {
            if case .gauge(let gauge) = $0 { gauge } else { nil }
        } wrap: {
            .gauge($0)
        }
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else {
            return make(label, dimensions, PrometheusGauge()) {
                if case .gauge(let gauge) = $0 { gauge } else { nil }
            } wrap: {
                .gauge($0)
            }
        }
        return makeHistogram(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        makeHistogram(label, dimensions)
    }

    private func makeHistogram(_ label: String, _ dimensions: [(String, String)]) -> PrometheusHistogram {
        make(label, dimensions, PrometheusHistogram()) {
            if case .histogram(let histogram) = $0 { histogram } else { nil }
        } wrap: {
            .histogram($0)
        }
    }

    // Handlers are shared by everyone who names the same series, so giving one back must not take it from the others.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func make<Handler: Sendable>(
        _ label: String, _ dimensions: [(String, String)], _ fresh: Handler, find: (Series) -> Handler?,
        wrap: (Handler) -> Series
    ) -> Handler {
        let key = SeriesKey(name: PrometheusText.name(label), labels: PrometheusText.labels(dimensions))
        return series.withLock { series in
            if let existing = series[key] { return find(existing) ?? fresh }
            if series.count < Self.maximumSeries { series[key] = wrap(fresh) }
            return fresh
        }
    }

    /// Every series, sorted, as `/metrics` sends them.
    package func exposition() -> String {
        let snapshot = series.withLock { $0 }
            .sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }
        var output = ""
        var previous = ""
        for (key, series) in snapshot {
            if key.name != previous {
                previous = key.name
                let type =
                    switch series {
                    case .counter: "counter"
                    case .gauge: "gauge"
                    case .histogram: "histogram"
                    }
                if let help = MetricHelp.texts[key.name] { output += "# HELP \(key.name) \(help)\n" }
                output += "# TYPE \(key.name) \(type)\n"
            }
            switch series {
            case .counter(let counter):
                output += PrometheusText.sample(key.name, key.labels, "\(counter.value)")
            case .gauge(let gauge):
                output += PrometheusText.sample(key.name, key.labels, PrometheusText.number(gauge.value))
            case .histogram(let histogram):
                output += histogram.exposition(name: key.name, labels: key.labels)
            }
        }
        return output
    }
}

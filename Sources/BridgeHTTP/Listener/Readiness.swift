package import Bridge
package import CoreMetrics
import Synchronization

/// Whether this process can do its work, asked by load balancers as often as they like.
package final class Readiness: Sendable {
    /// One thing that must work, or that is better for working.
    package struct Check: Sendable {
        let name: String
        /// Without it the service runs with less: it stays ready and says `degraded`.
        let isOptional: Bool
        let run: @Sendable () async throws -> Void

        package init(_ name: String, isOptional: Bool = false, run: @escaping @Sendable () async throws -> Void) {
            self.name = name
            self.isOptional = isOptional
            self.run = run
        }
    }

    /// The checks that did not pass: what `/readyz` says (contract §13).
    package struct Report: Hashable, Sendable {
        package let failed: Set<String>
        package let degraded: [String]
        package var isReady: Bool { failed.isEmpty }

        /// What a server says that stops: nothing was checked.
        static let stop = Report(failed: ["stopping"], degraded: [])
    }

    /// The checks, once.
    private struct Run {
        let at: Timestamp
        let report: Task<Report, Never>
        var isOver = false
    }

    private let checks: [Check]
    private let time: TimeSource
    /// A writable store is proven by a write; so at most one per second, and one at a time, however many ask.
    private let lifetime: Duration
    private let last = Mutex<Run?>(nil)
    private let isStopping = Mutex(false)

    package init(checks: [Check], lifetime: Duration = .seconds(1), time: TimeSource = .system) {
        self.checks = checks
        self.lifetime = lifetime
        self.time = time
    }

    /// From now on not ready, so that load balancers send nothing more; as the first step of a clean stop.
    package func stop() { isStopping.withLock { $0 = true } }

    var names: [String] { checks.map(\.name) }

    package func report() async -> Report {
        if isStopping.withLock({ $0 }) { return .stop }
        let now = time.now()
        let report = last.withLock { last -> Task<Report, Never> in
            // A store may be slow for longer than a report is good for: whoever asks meanwhile waits for the same one.
            if let last, !last.isOver || (now - last.at < lifetime && now >= last.at) { return last.report }
            let run = Task {
                let report = await check()
                self.last.withLock { $0?.isOver = true }
                return report
            }
            last = Run(at: now, report: run)
            return run
        }
        return await report.value
    }

    /// Says for metrics of each thing that must work whether it does, as the same report says it to load balancers.
    package func record(to metrics: any MetricsFactory) async {
        let report = await report()
        // One that stops was not asked.
        guard report != .stop else { return }
        for check in checks where !check.isOptional {
            Gauge(label: "drawbridge_ready", dimensions: [("check", check.name)], factory: metrics)
                .record(report.failed.contains(check.name) ? 0 : 1)
        }
    }

    private func check() async -> Report {
        var failed: Set<String> = []
        var degraded: [String] = []
        for check in checks {
            do {
                try await check.run()
            } catch {
                if check.isOptional { degraded.append(check.name) } else { failed.insert(check.name) }
            }
        }
        return Report(failed: failed, degraded: degraded)
    }
}

package import Bridge
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
    }

    private let checks: [Check]
    private let time: TimeSource
    /// A writable store is proven by a write; so at most one per second, however many ask.
    private let lifetime: Duration
    private let last = Mutex<(at: Timestamp, report: Report)?>(nil)
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
        if isStopping.withLock({ $0 }) { return Report(failed: ["stopping"], degraded: []) }
        let now = time.now()
        if let last = last.withLock({ $0 }), now - last.at < lifetime, now >= last.at { return last.report }
        var failed: Set<String> = []
        var degraded: [String] = []
        for check in checks {
            do {
                try await check.run()
            } catch {
                if check.isOptional { degraded.append(check.name) } else { failed.insert(check.name) }
            }
        }
        let report = Report(failed: failed, degraded: degraded)
        last.withLock { $0 = (now, report) }
        return report
    }
}

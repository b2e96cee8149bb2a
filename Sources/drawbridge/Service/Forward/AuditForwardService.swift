import Bridge
import CoreMetrics
import Federation
import Logging
import Metrics
import ServiceLifecycle

/// Keeps one receiver of audit events served: connects, forwards, and tries again when it is lost.
struct AuditForwardService: Service {
    let transport: any AuditForwardTransport
    let forwarder: AuditForwarder
    let status: AuditForwardStatus
    let metrics: AuditForwardMetrics
    let logger: Logger

    /// How soon new events are looked for when everything was sent.
    private static let pause = Duration.milliseconds(500)

    func run() async throws {
        await cancelWhenGracefulShutdown { await keepForwarding() }
    }

    private func keepForwarding() async {
        var backoff = Backoff.delivery
        while !Task.isCancelled {
            let before = status.current.delivered
            do {
                try await forwardOnce()
            } catch is CancellationError {
                return
            } catch {
                guard !Task.isCancelled else { return }
                // Once per outage, not at every attempt.
                if status.current.problem == nil {
                    logger.warning(
                        "audit events cannot be forwarded; they wait in the database",
                        metadata: ["target": "\(status.target)", "error": "\(error)"])
                }
                status.failed("\(error)")
            }
            if status.current.delivered > before { backoff.reset() }
            await measure()
            do { try await Task.sleep(for: backoff.next()) } catch { return }
        }
    }

    private func forwardOnce() async throws {
        try await forwarder.begin()
        let connection = try await transport.connect()
        status.connected()
        do {
            try await forwarder.forward(over: connection) {
                await measure()
                do { try await Task.sleep(for: Self.pause) } catch { return false }
                return true
            }
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    private func measure() async {
        // An unavailable database is reported elsewhere already.
        if let lag = try? await forwarder.lag() { status.lags(by: lag) }
        metrics.record(status.current)
    }
}

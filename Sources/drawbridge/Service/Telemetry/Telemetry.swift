import Bridge
import Federation
import Logging
import Metrics
import ServiceLifecycle

/// Everything that tracing takes, where it is on.
struct Telemetry: Sendable {
    let recorder: SpanRecorder
    let service: TelemetryService

    /// - Returns: `nil` where no receiver is set: nothing is recorded then.
    init?(
        _ settings: TelemetrySettings, node: String, metrics: any MetricsFactory, time: TimeSource, logger: Logger
    ) {
        guard let receiver = OTLPReceiver(settings, node: node) else { return nil }
        let bell = NoticeBell()
        let queue = SpanQueue { bell.ring() }
        recorder = SpanRecorder(share: settings.share) { queue.add($0) }
        service = TelemetryService(
            queue: queue, receiver: receiver, metrics: TelemetryMetrics(metrics), bell: bell, time: time, logger: logger
        )
    }
}

extension OTLPReceiver {
    /// - Returns: `nil` where none is set.
    init?(_ settings: TelemetrySettings, node: String) {
        guard let endpoint = settings.endpoint else { return nil }
        self.init(
            url: endpoint, authorization: settings.authorization,
            source: SpanSource(node: node, version: Version.text))
    }
}

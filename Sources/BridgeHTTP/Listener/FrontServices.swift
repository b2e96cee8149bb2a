package import Bridge
package import CoreMetrics

/// What every request passes on its way in and out.
package final class FrontServices: Sendable {
    package let accessLog: AccessLog
    let metrics: any MetricsFactory
    /// `nil` offers no DPoP.
    let proofs: DPoPVerifier?
    /// Kept in step with the database before each request; `nil` where nobody changes them.
    let keys: SigningKeys?
    package let time: TimeSource
    let random: RandomSource
    /// `nil` records nothing.
    let recorder: SpanRecorder?

    package init(
        accessLog: AccessLog, metrics: any MetricsFactory, proofs: DPoPVerifier?, keys: SigningKeys? = nil,
        time: TimeSource = .system, random: RandomSource = .system, recorder: SpanRecorder? = nil
    ) {
        self.accessLog = accessLog
        self.metrics = metrics
        self.proofs = proofs
        self.keys = keys
        self.time = time
        self.random = random
        self.recorder = recorder
    }
}

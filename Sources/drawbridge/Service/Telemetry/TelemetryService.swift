import Bridge
import Federation
import Logging
import ServiceLifecycle

/// Sends what the spans' queue holds: every few seconds, whenever a whole batch waits, and once more at the end.
struct TelemetryService: Service {
    private static let interval = Duration.seconds(5)

    let queue: SpanQueue
    let receiver: any SpanReceiver
    let metrics: TelemetryMetrics
    /// Rung by the queue.
    let bell: NoticeBell
    let time: TimeSource
    let logger: Logger

    func run() async throws {
        let timer = Task {
            for await _ in AsyncTimer(every: Self.interval).cancelOnGracefulShutdown() { bell.ring() }
        }
        await work(on: bell.rings().cancelOnGracefulShutdown())
        timer.cancel()
    }

    /// - Parameter rings: when to look. Their end is the server's, whose last answers have left by then.
    func work<Rings: AsyncSequence>(on rings: Rings) async where Rings.Element == Void, Rings.Failure == Never {
        var sending = SpanSending(queue: queue, receiver: receiver, metrics: metrics, time: time, logger: logger)
        for await _ in rings { await sending.sendAll() }
        await sending.sendLast()
    }
}

/// How far the sending has come.
///
/// While the receiver is away one batch is kept and tried again; what the queue has no room for meanwhile is counted.
struct SpanSending {
    private static let patience = Duration.seconds(10)
    /// Less at the end: whoever stops a server waits for it.
    private static let lastPatience = Duration.seconds(2)

    private let queue: SpanQueue
    private let receiver: any SpanReceiver
    private let metrics: TelemetryMetrics
    private let time: TimeSource
    private let logger: Logger
    /// What the receiver could not take; it is sent before anything else.
    private var kept: [FinishedSpan] = []
    private var backoff = Backoff.delivery
    private var pausedUntil: ContinuousClock.Instant?
    private var isFailing = false

    init(
        queue: SpanQueue, receiver: any SpanReceiver, metrics: TelemetryMetrics, time: TimeSource, logger: Logger
    ) {
        self.queue = queue
        self.receiver = receiver
        self.metrics = metrics
        self.time = time
        self.logger = logger
    }

    /// Sends batch after batch until nothing waits or the receiver is away.
    mutating func sendAll() async {
        if let pausedUntil, time.uptime() < pausedUntil { return }
        await send(within: Self.patience)
    }

    /// Tries once more, whatever the receiver said before, and counts what is left.
    mutating func sendLast() async {
        await send(within: Self.lastPatience)
        var left = kept.count
        kept = []
        while case let batch = queue.takeBatch(), !batch.isEmpty { left += batch.count }
        metrics.count(dropped: left, .stopped)
    }

    private mutating func send(within patience: Duration) async {
        while case let batch = kept.isEmpty ? queue.takeBatch() : kept, !batch.isEmpty {
            kept = []
            guard await send(batch, within: patience) else { break }
        }
        metrics.count(dropped: queue.takeDropped(), .queueFull)
    }

    /// - Returns: whether to go on.
    private mutating func send(_ batch: [FinishedSpan], within patience: Duration) async -> Bool {
        switch await receiver.send(batch, within: patience) {
        case .taken(let rejected):
            let rejected = min(rejected, batch.count)
            metrics.count(sent: batch.count - rejected)
            metrics.count(dropped: rejected, .rejected)
            backoff.reset()
            (pausedUntil, isFailing) = (nil, false)
            return true
        case .later(let wait):
            kept = batch
            pause(wait ?? backoff.next(), because: "the receiver is away, or asks to wait")
            return false
        case .refused(let status):
            metrics.count(dropped: batch.count, .rejected)
            pause(backoff.next(), because: "the receiver answered \(status)")
            return false
        }
    }

    private mutating func pause(_ duration: Duration, because problem: String) {
        pausedUntil = time.uptime().advanced(by: duration)
        // Once per outage, not at every attempt.
        if !isFailing { logger.warning("spans cannot be sent", metadata: ["error": "\(problem)"]) }
        isFailing = true
    }
}

import Bridge
import BridgeHTTP
import Federation
import Logging
import Synchronization
import Testing
import Tracing

@testable import drawbridge

/// How waiting spans get to their receiver, and what is counted of those that do not.
@Suite struct SpanSendingTests {
    /// Answers what a test says, in turn, and then takes everything.
    private final class Receiver: SpanReceiver {
        let answers: Mutex<[SpanDelivery]>
        let batches = Mutex<[Int]>([])

        init(_ answers: [SpanDelivery]) { self.answers = Mutex(answers) }

        func send(_ spans: [FinishedSpan], within patience: Duration) async -> SpanDelivery {
            batches.withLock { $0.append(spans.count) }
            return answers.withLock { $0.isEmpty ? .taken(rejected: 0) : $0.removeFirst() }
        }
    }

    private final class Clock: Sendable {
        private let now = Mutex(Timestamp(seconds: 1_795_356_000))
        var source: TimeSource { TimeSource { self.now.withLock { $0 } } }
        func advance(by duration: Duration) { now.withLock { $0 = $0 + duration } }
    }

    private let metrics = PrometheusMetrics()
    private let clock = Clock()
    private let lines = JSONLogLines()
    private let queue = SpanQueue {}

    private func sending(to receiver: Receiver) -> SpanSending {
        SpanSending(
            queue: queue, receiver: receiver, metrics: TelemetryMetrics(metrics), time: clock.source,
            logger: lines.logger)
    }

    private func enqueue(_ count: Int) {
        let recorder = SpanRecorder(share: 1) { [queue] in queue.add($0) }
        for _ in 0..<count { recorder.request(continuing: nil, method: "GET")?.end() }
    }

    private func number(_ series: String) -> String? {
        metrics.exposition().split(separator: "\n").first { $0.hasPrefix(series + " ") }
            .map { String($0.dropFirst(series.count + 1)) }
    }

    private func dropped(_ reason: String) -> String? {
        number(#"drawbridge_spans_dropped_total{reason="\#(reason)"}"#)
    }

    @Test func `all that waits is sent in batches`() async {
        let receiver = Receiver([])
        enqueue(SpanQueue.batchSize + 1)
        var sending = sending(to: receiver)
        await sending.sendAll()
        #expect(receiver.batches.withLock { $0 } == [SpanQueue.batchSize, 1])
        #expect(number("drawbridge_spans_sent_total") == "\(SpanQueue.batchSize + 1)")
    }

    @Test func `a batch that could not be taken is sent again, first and after the time the receiver asked for`()
        async
    {
        let receiver = Receiver([.later(after: .seconds(20))])
        enqueue(2)
        var sending = sending(to: receiver)
        await sending.sendAll()
        enqueue(3)
        clock.advance(by: .seconds(19))
        await sending.sendAll()
        #expect(receiver.batches.withLock { $0 } == [2])
        clock.advance(by: .seconds(1))
        await sending.sendAll()
        #expect(receiver.batches.withLock { $0 } == [2, 2, 3])
        #expect(number("drawbridge_spans_sent_total") == "5")
    }

    @Test func `an outage is told once, and what has no room meanwhile is counted`() async {
        let receiver = Receiver(Array(repeating: .later(after: .seconds(1)), count: 3))
        var sending = sending(to: receiver)
        enqueue(1)
        for _ in 0..<3 {
            await sending.sendAll()
            clock.advance(by: .seconds(1))
        }
        enqueue(SpanQueue.capacity + 4)
        await sending.sendAll()
        #expect(lines.all.count { $0.contains("spans cannot be sent") } == 1)
        #expect(dropped("queue_full") == "4")
        #expect(number("drawbridge_spans_sent_total") == "\(SpanQueue.capacity + 1)")
    }

    @Test func `what a receiver refuses is not sent again, and counted`() async {
        let receiver = Receiver([.refused(400), .taken(rejected: 2)])
        var sending = sending(to: receiver)
        enqueue(3)
        await sending.sendAll()
        clock.advance(by: .seconds(61))
        enqueue(5)
        await sending.sendAll()
        #expect(receiver.batches.withLock { $0 } == [3, 5])
        #expect(dropped("rejected") == "5")
        #expect(number("drawbridge_spans_sent_total") == "3")
    }

    @Test func `at the end everything is tried once more, and what is left is counted`() async {
        let receiver = Receiver([.later(after: .seconds(300)), .later(after: nil)])
        var sending = sending(to: receiver)
        enqueue(2)
        await sending.sendAll()
        enqueue(SpanQueue.batchSize)
        await sending.sendLast()
        #expect(receiver.batches.withLock { $0 } == [2, 2])
        #expect(dropped("stopped") == "\(SpanQueue.batchSize + 2)")
    }

    @Test func `the service sends at each ring, and once more when the server stops`() async {
        let receiver = Receiver([])
        let service = TelemetryService(
            queue: queue, receiver: receiver, metrics: TelemetryMetrics(metrics), bell: NoticeBell(),
            time: clock.source, logger: lines.logger)
        enqueue(1)
        let rings = AsyncStream<Void> { [queue] continuation in
            continuation.yield()
            continuation.finish()
            _ = queue
        }
        await service.work(on: rings)
        #expect(receiver.batches.withLock { $0 } == [1])
        enqueue(2)
        await service.work(on: AsyncStream<Void> { $0.finish() })
        #expect(receiver.batches.withLock { $0 } == [1, 2])
    }
}

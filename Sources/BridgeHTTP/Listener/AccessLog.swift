import Bridge
package import Dispatch
package import Foundation
import OAuth2
import Synchronization

/// One line per request, JSON or words on a terminal, written by a thread of its own so that no request ever waits for
/// the disk.
///
/// Lines are batched in memory for a moment. When the sink cannot keep up, lines beyond ``capacity`` are dropped and
/// counted, and the count is the next thing that is written.
package final class AccessLog: Sendable {
    /// Bytes held for a slow sink: some 20 000 lines.
    package static let capacity = 4 << 20

    private struct Pending {
        var bytes: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    private let pending = Mutex(Pending())
    private let queue = DispatchQueue(label: "drawbridge.access-log")
    private let sink: @Sendable ([UInt8]) -> Void

    private let interval: DispatchTimeInterval
    private let isForPeople: Bool

    /// - Parameters:
    ///   - isForPeople: whether lines are words, for somebody who watches.
    ///   - interval: how long a line is held back at most.
    ///   - sink: takes whole lines; called on one thread at a time, may block.
    package init(
        interval: DispatchTimeInterval = .milliseconds(50), isForPeople: Bool = false,
        sink: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.interval = interval
        self.isForPeople = isForPeople
        self.sink = sink
    }

    /// Writes to a file descriptor that stays open, such as standard output.
    package static func writing(to handle: FileHandle) -> AccessLog {
        AccessLog(isForPeople: isatty(handle.fileDescriptor) == 1) { bytes in
            // A closed pipe must not end the service; the lines are lost and the next write tries again.
            try? handle.write(contentsOf: bytes)
        }
    }

    func write(
        at now: Timestamp, route: String, method: String, status: Int, elapsed: Duration, requestID: String,
        address: NetworkAddress?, trace: TraceContext? = nil
    ) {
        guard !isForPeople else {
            let time = now.rfc3339.dropFirst(11).prefix(8)
            let duration = Double(elapsed.components.seconds) * 1e3 + Double(elapsed.components.attoseconds) / 1e15
            let text = "\(time) \(status) \(method) \(route) \((duration * 10).rounded() / 10) ms \(requestID)"
            return append(Array(text.utf8))
        }
        var line = JSONObjectWriter(capacity: 224)
        line.add("time", now)
        line.add("route", route)
        line.add("method", method)
        line.add("status", Int64(status))
        line.add("duration_ms", milliseconds: elapsed)
        line.add("request_id", requestID)
        line.add("address", address?.description)
        line.add("trace_id", trace?.traceID)
        line.add("span_id", trace?.spanID)
        append(line.finish())
    }

    private func append(_ line: [UInt8]) {
        let mustSchedule = pending.withLock { pending in
            guard pending.bytes.count + line.count < Self.capacity else {
                pending.dropped += 1
                return false
            }
            pending.bytes.append(contentsOf: line)
            pending.bytes.append(UInt8(ascii: "\n"))
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        if mustSchedule { queue.asyncAfter(deadline: .now() + interval) { self.drain() } }
    }

    /// Writes what is pending and blocks its thread until that is done: nothing for a task, see ``flush(within:)``.
    func flush() {
        queue.sync { drain() }
    }

    /// Writes what is pending, for a clean stop.
    /// - Parameter patience: how long a sink is waited for that takes nothing, such as a pipe that nobody reads; what
    ///   is left then is lost.
    package func flush(within patience: Duration) async {
        let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let goOn = { @Sendable in
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume()
        }
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            queue.async {
                self.drain()
                goOn()
            }
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .milliseconds(Int(clamping: patience.inMilliseconds)), execute: goOn)
        }
    }

    private func drain() {
        let (bytes, dropped) = pending.withLock { pending in
            defer { pending = Pending() }
            return (pending.bytes, pending.dropped)
        }
        if !bytes.isEmpty { sink(bytes) }
        guard dropped > 0 else { return }
        var line = JSONObjectWriter()
        line.add("dropped_lines", Int64(dropped))
        sink(line.finish() + [UInt8(ascii: "\n")])
    }
}

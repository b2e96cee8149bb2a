import Bridge
package import Dispatch
package import Foundation
import OAuth2

/// One line per request, JSON or words on a terminal, that no request waits for.
package final class AccessLog: Sendable {
    private let writer: LineWriter
    private let isForPeople: Bool

    /// - Parameter isForPeople: whether lines are words, for somebody who watches.
    package init(to writer: LineWriter, isForPeople: Bool = false) {
        self.writer = writer
        self.isForPeople = isForPeople
    }

    /// - Parameters:
    ///   - interval: how long a line is held back at most.
    ///   - sink: takes whole lines; called on one thread at a time, may block.
    package convenience init(
        interval: DispatchTimeInterval = AccessLog.interval, sink: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.init(
            to: LineWriter(name: "access-log", delay: interval) { lines in
                sink(lines)
                return true
            })
    }

    /// How long a line is held back at most, so that several are written at once.
    package static let interval = DispatchTimeInterval.milliseconds(50)

    /// Writes to a file descriptor that stays open, such as standard output.
    package static func writing(to handle: FileHandle) -> AccessLog {
        AccessLog(
            to: LineWriter(name: "access-log", delay: interval, to: handle),
            isForPeople: isatty(handle.fileDescriptor) == 1)
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

    private func append(_ line: consuming [UInt8]) {
        line.append(UInt8(ascii: "\n"))
        writer.write(line)
    }

    /// See ``LineWriter/flush()``.
    func flush() { writer.flush() }

    /// See ``LineWriter/flush(within:)``.
    package func flush(within patience: Duration) async { await writer.flush(within: patience) }
}

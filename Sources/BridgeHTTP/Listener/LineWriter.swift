import Bridge
package import Dispatch
package import Foundation
import OAuth2
import Synchronization

/// Writes lines by a thread of its own, so that nobody who has one ever waits for a disk, or for a program that does
/// not read.
///
/// Lines that are lost are counted: those beyond ``capacity`` when the sink cannot keep up, and those that it fails to
/// take. The count is written with what it takes next.
package final class LineWriter: Sendable {
    /// Bytes held for a slow sink: some 20 000 lines.
    package static let capacity = 4 << 20

    private struct Pending {
        var bytes: [UInt8] = []
        var dropped = 0
        var isScheduled = false
        /// Whether what was written last may end in the middle of a line.
        var isTorn = false
    }

    private let pending = Mutex(Pending())
    private let queue: DispatchQueue
    private let delay: DispatchTimeInterval
    private let sink: @Sendable ([UInt8]) -> Bool

    /// - Parameters:
    ///   - name: of its thread, such as `access-log`.
    ///   - delay: how long a line is held back at most, so that several are written at once.
    ///   - sink: takes whole lines, and tells whether it took all; called on one thread at a time, may block.
    package init(
        name: String, delay: DispatchTimeInterval = .milliseconds(0), sink: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        queue = DispatchQueue(label: "drawbridge.\(name)")
        self.delay = delay
        self.sink = sink
    }

    /// Writes to a file descriptor that stays open, such as standard output.
    package convenience init(
        name: String, delay: DispatchTimeInterval = .milliseconds(0), to handle: FileHandle
    ) {
        self.init(name: name, delay: delay) { bytes in
            // A closed pipe must not end the service; the lines are lost and the next write tries again.
            (try? handle.write(contentsOf: bytes)) != nil
        }
    }

    /// - Parameter line: with its end.
    package func write(_ line: some Collection<UInt8>) {
        let mustSchedule = pending.withLock { pending in
            guard pending.bytes.count + line.count <= Self.capacity else {
                pending.dropped += 1
                return false
            }
            pending.bytes.append(contentsOf: line)
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        if mustSchedule { queue.asyncAfter(deadline: .now() + delay) { self.drain() } }
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
        let (bytes, dropped, isTorn) = pending.withLock { pending in
            defer { pending = Pending() }
            return (pending.bytes, pending.dropped, pending.isTorn)
        }
        // What was taken of a batch that failed may end in the middle of a line.
        let start = isTorn ? [Self.lineEnd] : []
        guard bytes.isEmpty || sink(isTorn ? start + bytes : bytes) else {
            // Some may have been taken: nobody knows which.
            return lose(dropped + bytes.count(where: { $0 == Self.lineEnd }))
        }
        guard dropped > 0 else { return }
        var line = JSONObjectWriter()
        line.add("dropped_lines", Int64(dropped))
        if !sink((bytes.isEmpty ? start : []) + line.finish() + [Self.lineEnd]) { lose(dropped) }
    }

    private func lose(_ lines: Int) {
        pending.withLock {
            $0.dropped += lines
            $0.isTorn = true
        }
    }

    private static let lineEnd = UInt8(ascii: "\n")
}

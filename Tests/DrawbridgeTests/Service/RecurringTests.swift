import Bridge
import BridgeHTTP
import Logging
import Synchronization
import Testing

@testable import drawbridge

/// Log lines that a test reads.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func count(of text: String) -> Int { all.count { $0.contains(text) } }

    var logger: Logger {
        Logger(label: "test") { label in
            JSONLogHandler(label: label, level: .notice) { line in self.lines.withLock { $0.append(line) } }
        }
    }
}

@Suite struct RecurringTests {
    private struct Outage: Error {}

    private let lines = LogLines()

    /// - Parameter rounds: whether each one fails.
    private func run(_ rounds: [Bool]) async -> Int {
        var left = rounds[...]
        let ticks = AsyncStream<Void> { continuation in
            for _ in rounds { continuation.yield() }
            continuation.finish()
        }
        await Recurring(interval: .seconds(1), task: "do it", logger: lines.logger).run(on: ticks) {
            if left.removeFirst() { throw Outage() }
        }
        return rounds.count - left.count
    }

    @Test func `a round that fails does not keep the next from coming`() async {
        #expect(await run([true, false, true, false]) == 4)
    }

    @Test(arguments: [([false, false], 0), ([true, true, true], 1), ([true, false, true, true], 2)])
    func `an outage is reported once, and the next one again`(_ rounds: [Bool], _ warnings: Int) async {
        _ = await run(rounds)
        #expect(lines.count(of: "could not do it") == warnings)
    }
}

import Logging
import Synchronization

@testable import drawbridge

/// The service's log as an operator's programs get it: lines of JSON, from `notice` up.
///
/// What writes them is the service's own handler, which hides secrets; only the place where they end is pretended.
final class JSONLogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func count(of text: String) -> Int { all.count { $0.contains(text) } }

    var logger: Logger {
        Logger(label: "test") { label in
            JSONLogHandler(label: label, level: .notice) { line in self.lines.withLock { $0.append(line) } }
        }
    }
}

import Bridge
import Synchronization

/// How far a long command is: one line on a terminal where somebody watches, written over and over; nothing elsewhere.
final class Progress: Sendable {
    private struct Line {
        var shownAt: ContinuousClock.Instant?
    }

    private let unit: String
    private let total: Int?
    private let streams: StandardStreams?
    private let time: TimeSource
    private let begun: ContinuousClock.Instant
    private let line = Mutex(Line())

    /// Between two lines: often enough to be seen moving.
    private static let pause = Duration.milliseconds(200)

    /// - Parameters:
    ///   - unit: what is counted: `events`.
    ///   - total: how many there will be, if that is known.
    ///   - besideOutput: whether the command writes its output meanwhile, which is progress enough on one screen.
    init(of unit: String, total: Int? = nil, besideOutput: Bool = false, time: TimeSource = .system) {
        self.unit = unit
        self.total = total
        self.time = time
        begun = time.uptime()
        // Kept: who reports may do so from another task, which does not have the command's streams.
        let streams = StandardStreams.current
        self.streams = streams.isWatched() && !(besideOutput && streams.isOutputSeen()) ? streams : nil
    }

    /// Whether counting is worth the while.
    var isShown: Bool { streams != nil }

    func reach(_ count: Int) {
        guard let streams else { return }
        let now = time.uptime()
        let isDue = line.withLock { line in
            if let shownAt = line.shownAt, now - shownAt < Self.pause { return false }
            line.shownAt = now
            return true
        }
        if isDue { show(words(count, after: now - begun), streams) }
    }

    /// Notes one of few steps, each of which may be the long one: all are shown, and nothing is promised.
    func reach(_ count: Int, of total: Int) {
        guard let streams else { return }
        line.withLock { $0.shownAt = time.uptime() }
        show("\(count) of \(total) \(unit)", streams)
    }

    private func show(_ words: String, _ streams: StandardStreams) {
        // The rest of a longer line before it is erased (ECMA-48 §8.3.41).
        streams.errors("\r\(words)\u{1B}[K")
    }

    /// Takes the line away: what came of it is said by the command.
    func end() {
        let wasShown = line.withLock { line in
            defer { line.shownAt = nil }
            return line.shownAt != nil
        }
        if wasShown { streams?.errors("\r\u{1B}[K") }
    }

    /// `1200 of 5000 events, 600/s, 7 s left`.
    func words(_ count: Int, after elapsed: Duration) -> String {
        var words = total.map { "\(count) of \(max($0, count)) \(unit)" } ?? "\(count) \(unit)"
        let seconds = elapsed / .seconds(1)
        guard seconds >= 1, count > 0 else { return words }
        let rate = Double(count) / seconds
        if rate >= 1 { words += ", \(Int(rate.rounded()))/s" }
        if let total, total > count { words += ", \(Self.span(Double(total - count) / rate)) left" }
        return words
    }

    private static func span(_ seconds: Double) -> String {
        switch seconds {
        case ..<90: "\(Int(seconds.rounded(.up))) s"
        case ..<5400: "\(Int((seconds / 60).rounded(.up))) min"
        default: "\(Int((seconds / 3600).rounded(.up))) h"
        }
    }
}

extension AuditLog {
    /// How many events there are about, for a progress; what retention removed counts as well.
    func eventTotal() async throws -> Int { try await chains().eventTotal }
}

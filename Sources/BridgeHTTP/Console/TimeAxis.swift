import Bridge

/// Equal bars of time up to now.
struct TimeAxis: Hashable, Sendable {
    let start: Timestamp
    let end: Timestamp
    let bars: Int
    private let width: Int64

    init(end now: Timestamp, bars: Int64, minutesPerBar: Int64) {
        width = minutesPerBar * 60_000
        // The bar that is now under way is the last one.
        let last = now.milliseconds / width
        end = Timestamp(milliseconds: (last + 1) * width)
        start = Timestamp(milliseconds: (last + 1 - bars) * width)
        self.bars = Int(bars)
    }

    /// Adds up what falls into each bar.
    func sums(_ points: [(Timestamp, Int64)]) -> [Int64] {
        var values = [Int64](repeating: 0, count: bars)
        for (at, count) in points { if let bar = bar(of: at) { values[bar] = Self.sum(values[bar], count) } }
        return values
    }

    /// What a chart can draw: its arithmetic has room above it.
    static let largest: Int64 = 1_000_000_000_000_000

    /// Adds counts, which may be anybody's, without leaving what a chart can draw.
    static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        min(max(0, one), largest) + min(max(0, other), largest - min(max(0, one), largest))
    }

    /// The last sample in each bar; a bar without one repeats the one before.
    func lasts(_ points: [(Timestamp, Int64)], now: Int64) -> [Int64] {
        var found = [Int64?](repeating: nil, count: bars)
        for (at, value) in points { if let bar = bar(of: at) { found[bar] = Self.sum(value, 0) } }
        found[bars - 1] = now
        var last: Int64 = 0
        return found.map { value in
            last = value ?? last
            return last
        }
    }

    /// When a bar begins.
    func begin(of bar: Int) -> Timestamp { start + .milliseconds(Int64(bar) * width) }

    private func bar(of at: Timestamp) -> Int? {
        guard at >= start, at < end else { return nil }
        let bar = Int((at.milliseconds - start.milliseconds) / width)
        return (0..<bars).contains(bar) ? bar : nil
    }
}

import Testing

@testable import drawbridge

@Suite struct ProgressTests {
    @Test(arguments: [
        (0, 0, "0 of 5000 events"), (1200, 0, "1200 of 5000 events"), (1200, 2, "1200 of 5000 events, 600/s, 7 s left"),
        (5000, 10, "5000 of 5000 events, 500/s"), (6000, 10, "6000 of 6000 events, 600/s"),
        (10, 10, "10 of 5000 events, 1/s, 84 min left"), (1, 10, "1 of 5000 events, 14 h left"),
    ])
    func `it says how much, how fast and how long yet`(_ count: Int, _ seconds: Int, _ words: String) {
        #expect(Progress(of: "events", total: 5000).words(count, after: .seconds(seconds)) == words)
    }

    @Test func `without a total it promises nothing`() {
        #expect(Progress(of: "rows").words(300, after: .seconds(3)) == "300 rows, 100/s")
    }
}

import Testing

@testable import drawbridge

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("60s", .seconds(60)), ("30m", .seconds(1800)),
        ("12h", .seconds(43_200)),
        ("90d", .seconds(7_776_000)), ("0s", .zero),
    ])
    func `a number and a unit`(_ text: String, _ duration: Duration) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.parse(DurationText.describe(duration)) == duration)
    }

    @Test(arguments: ["", "60", "s", "30O", "-1s", "+1s", "1.5s", "1 s", " 1s", "1S", "1h30m", "9999999999999s", "٣s"])
    func `anything else is refused`(_ text: String) {
        #expect(DurationText.parse(text) == nil)
    }
}

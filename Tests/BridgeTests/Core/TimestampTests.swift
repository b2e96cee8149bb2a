import Bridge
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"), (1_795_244_400_000, "2026-11-21T07:00:00.000Z"),
        (951_782_400_001, "2000-02-29T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    ])
    func `an instant is written as RFC 3339 with milliseconds and read back`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text) == Timestamp(milliseconds: milliseconds))
    }

    @Test(arguments: [
        ("2026-11-21T07:00:00Z", 0), ("2026-11-21T08:30:00+01:30", 0), ("2026-11-21T02:00:00-05:00", 0),
        ("2026-11-21t07:00:00z", 0), ("2026-11-21T07:00:00.5Z", 500), ("2026-11-21T07:00:00.1239Z", 123),
    ])
    func `offsets, lower case and fractions are understood`(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text) == Timestamp(milliseconds: noon.milliseconds + milliseconds))
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T07:00:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T07:60:00Z", "2026-11-21 07:00:00Z", "2026-11-21T07:00:00.Z", "2026-11-21T07:00:00+1:00",
        "2026-11-21T07:00:00+25:00", "2026-11-21T07:00:00Zx", "20261121T070000Z", "2026-00-10T00:00:00Z",
        "2026-11-21T07:00:00é", "2023-02-29T00:00:00Z", "26-11-21T07:00:00Z",
    ])
    func `what is not RFC 3339 is refused`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `every day of four centuries round-trips and agrees with Foundation`() {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: Int64(-73_000), to: 73_000, by: 13) {
            let instant = Timestamp(seconds: day * 86_400 + 3_661)
            #expect(Timestamp(rfc3339: instant.rfc3339) == instant)
            let foundation = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(instant.seconds)))
            #expect(instant.rfc3339 == foundation.dropLast() + ".000Z")
        }
    }

    @Test func `arithmetic is in milliseconds and seconds round down`() {
        #expect((noon + .milliseconds(1500)).seconds == noon.seconds + 1)
        #expect(Timestamp(milliseconds: -1).seconds == -1)
        #expect((noon + .seconds(2)) - noon == .seconds(2))
        #expect(noon - .seconds(1) < noon)
        #expect(Duration.milliseconds(1001).roundedUpSeconds == 2)
        #expect(Duration.zero.roundedUpSeconds == 1)
        #expect(Duration.seconds(60).roundedUpMinutes == 1)
        #expect(Duration.milliseconds(60_001).roundedUpMinutes == 2)
        #expect(Duration.zero.roundedUpMinutes == 1)
    }

    @Test func `the system clock runs with Foundation's`() {
        let before = Int64(Date().timeIntervalSince1970) - 1
        let told = TimeSource.system.now().seconds
        // Read again: any time may pass in between on a busy machine.
        let after = Int64(Date().timeIntervalSince1970) + 1
        #expect(before <= told && told <= after)
    }
}

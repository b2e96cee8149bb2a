import Testing
import TestSupport

@testable import Bridge

/// No instant outside of the years 0 to 9999 is written or believed, and what is written is read as the same.
@Suite struct TimestampRFC3339PropertyTests {
    private static let outside: [Int64] = [
        .min, .min + 1, -62_167_219_200_001, 253_402_300_800_000, 1 << 53, .max - 1, .max,
    ]

    @Test(arguments: outside)
    func `an instant that no text can say is written as the nearest that one can`(milliseconds: Int64) {
        let instant = Timestamp(milliseconds: milliseconds)
        #expect(!instant.isWritable)
        let expected = milliseconds < 0 ? "0000-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z"
        #expect(instant.rfc3339 == expected)
        #expect(Timestamp(rfc3339: expected) == instant.writable)
    }

    @Test(arguments: [
        "0000-01-01T00:00:00.000+01:00", "0000-01-01T00:00:00+00:01", "0000-01-01T23:59:59.999+23:59",
        "9999-12-31T23:59:59.999-00:01", "9999-12-31T23:59:60Z", "9999-12-31T00:01:00-23:59",
        "9999-12-31T23:59:60.999999999Z",
    ])
    func `an offset or a leap second that leads out of the years is refused`(text: String) {
        // One text of these is inside: its offset leads back into the year 0.
        let isInside = text == "0000-01-01T23:59:59.999+23:59"
        #expect((Timestamp(rfc3339: text) != nil) == isInside)
    }

    @Test func `a checkpoint of such a time is malformed, not the end of the process`() throws {
        let key = try AuditFixture.key()
        let good = try AuditFixture.checkpoint(AuditFixture.chain(1), at: 1, by: key)
        for time in ["0000-01-01T00:00:00.000+01:00", "-001-01-01T00:00:00.000Z", "9999-12-31T23:59:60.000Z"] {
            let note = good.note.replacing(good.at.rfc3339, with: time)
            let checkpoint = AuditCheckpoint(node: "a", size: 1, at: good.at, hash: good.hash, note: note)
            #expect(checkpoint.problem(trusting: [key.verifierKey]) == .checkpointMalformed)
            #expect(AuditNote(note: note) == nil)
        }
    }

    @Test func `the key signs no time that no text can say`() throws {
        let key = try AuditFixture.key()
        for milliseconds in Self.outside {
            let at = Timestamp(milliseconds: milliseconds)
            let checkpoint = try key.sign(node: "a", size: 1, hash: AuditRecord.genesis, at: at)
            let cut = try key.signCut(
                node: "a", through: 1, hash: AuditRecord.genesis, retention: .seconds(1), isAdopted: false, at: at)
            #expect(checkpoint.problem(trusting: [key.verifierKey]) == nil && checkpoint.at.isWritable)
            #expect(cut.problem(trusting: [key.verifierKey]) == nil && cut.at.isWritable)
        }
    }

    @Test(arguments: 0..<4)
    func `a million instants all over the years are read as they were written`(part: Int64) {
        let span = UInt64(Timestamp.latest.milliseconds - Timestamp.earliest.milliseconds)
        var state = SplitMix64(seed: UInt64(part + 1))
        var failures = 0
        var buffer: [UInt8] = []
        for _ in 0..<250_000 {
            let instant = Timestamp(milliseconds: Timestamp.earliest.milliseconds + Int64(state.next() % (span + 1)))
            buffer.removeAll(keepingCapacity: true)
            instant.appendRFC3339(to: &buffer)
            if buffer.count != 24 || Timestamp(rfc3339: String(decoding: buffer, as: UTF8.self)) != instant {
                failures += 1
            }
        }
        #expect(failures == 0)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `whatever is read can be written, and says the same then`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let start = Array("2026-11-21T07:00:00.000+01:30".utf8)
        let letters = Array("0123456789-:+.TZz ".utf8)
        for _ in 0..<20_000 {
            var text = start
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                text[Int.random(in: 0..<text.count, using: &generator)] = letters.randomElement(using: &generator) ?? 0
            }
            guard let instant = Timestamp(rfc3339: String(decoding: text, as: UTF8.self)) else { continue }
            #expect(instant.isWritable && Timestamp(rfc3339: instant.rfc3339) == instant)
        }
    }

    @Test(arguments: [Int64.min, .min + 1, -1001, -1000, -999, -1, 0, 1, 999, 1000, .max - 1, .max])
    func `whole seconds are rounded down, whatever the instant`(milliseconds: Int64) {
        let seconds = Timestamp(milliseconds: milliseconds).seconds
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        #expect(overflow || (product <= milliseconds && milliseconds - product < 1000))
        #expect(!overflow || milliseconds < .min + 1000)
    }
}

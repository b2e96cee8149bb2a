import OAuth2
import Testing

@testable import Bridge

/// Numbers from outside reach instants before anything is verified; none of them may trap.
@Suite struct TimestampLimitsTests {
    private static let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

    @Test(arguments: extremes)
    func `any number of seconds is an instant`(seconds: Int64) {
        let instant = Timestamp(seconds: seconds)
        #expect((seconds < 0) == (instant < Timestamp(milliseconds: 0)))
        for step in [Duration.zero, .seconds(30), .seconds(-30), .seconds(Int64.max), .seconds(Int64.min)] {
            let later = instant + step
            let earlier = instant - step
            #expect(step < .zero ? later <= instant && earlier >= instant : later >= instant && earlier <= instant)
        }
    }

    @Test(
        arguments: [
            ("-1", nil), ("-0.001", nil), ("0", 0), ("1.9999", 1999), ("253402300799", 253_402_300_799_000),
            ("253402300800", nil), ("1e300", nil), ("true", nil), (#""1""#, nil),
        ] as [(String, Int64?)])
    func `RFC 7519 §2: a NumericDate is an instant of the years 1970 to 9999`(text: String, milliseconds: Int64?) {
        let instant = JSONValue.parse(Array(text.utf8)).flatMap { Timestamp(numericDate: $0) }
        #expect(instant?.milliseconds == milliseconds)
    }

    @Test func `a double that is no instant gives none, and breaks nothing`() {
        let cases: [(seconds: Double, milliseconds: Int64?)] = [
            (.nan, nil), (.infinity, nil), (-.infinity, nil), (.greatestFiniteMagnitude, nil), (-0.0, 0),
            (.leastNonzeroMagnitude, 0), (-.leastNonzeroMagnitude, nil), (0.9999, 999), (9_007_199_254_740_992, nil),
        ]
        for (seconds, milliseconds) in cases {
            #expect(Timestamp(numericDate: seconds)?.milliseconds == milliseconds)
        }
    }

    @Test(arguments: extremes)
    func `the time between any two instants has the sign of their order`(milliseconds: Int64) {
        let one = Timestamp(milliseconds: milliseconds)
        for other in Self.extremes.map(Timestamp.init(milliseconds:)) {
            let between = one - other
            #expect((between > .zero) == (one > other) && (between < .zero) == (one < other))
            #expect(between.roundedUpSeconds >= 1)
        }
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "9223372036854776", "99999999999999999999"])
    func `what is sealed opens for its own expiry alone, whatever else is written there`(expiry: String) async throws {
        try await withService { service in
            let seal = ShortLivedSeal(keys: service.keys, purpose: .redemptionRetry, time: service.clock.source)
            let sealed = try seal.seal([1, 2, 3], lifetime: .seconds(60))
            #expect(seal.open(sealed) == [1, 2, 3])
            #expect(seal.open(expiry + sealed.drop { $0 != "." }) == nil)
            #expect(seal.open("\(expiry).AA.AA") == nil)
            let nonces = DPoPNonces(keys: service.keys)
            #expect(nonces.end(of: "\(expiry).AA.AA", at: service.clock.now) == nil)
            let binding = OpaqueSecret.make(.formBinding, random: .system)
            let forms = FormTokens(keys: service.keys, time: service.clock.source)
            #expect(!forms.verify("\(expiry).AA.AA", for: .redeem, binding: binding))
        }
    }
}

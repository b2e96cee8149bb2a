import Bridge
import Testing

@Suite struct OneTimeCodeRFC6238Tests {
    private static let secret = Array("12345678901234567890".utf8)

    /// RFC 6238 appendix B, SHA-1; the last six of its eight digits.
    @Test(
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func `the RFC's test vectors`(seconds: Int64, code: String) {
        let step = OneTimeCode.step(at: Timestamp(seconds: seconds))
        #expect(OneTimeCode.code(secret: Self.secret, step: step) == code)
    }

    @Test func `a code is good one step early and late, not two`() {
        let now = Timestamp(seconds: 1_111_111_111)
        let step = OneTimeCode.step(at: now)
        let found = (-2...2).map { offset in
            OneTimeCode.matchingStep(
                typed: OneTimeCode.code(secret: Self.secret, step: step + offset), secret: Self.secret, at: now)
        }
        #expect(found == [nil, step - 1, step, step + 1, nil])
    }

    /// The ways of ``SixDigitsTests``, of the code 050471.
    @Test(arguments: [
        " 050 471 ", "050-471", "٠٥٠٤٧١", "０５０４７１", "۰۵۰۴۷۱", "०५०४७१", "050\u{a0}471",
    ])
    func `a code counts in the digits of every script`(typed: String) {
        let now = Timestamp(seconds: 1_111_111_111)
        let step = OneTimeCode.matchingStep(typed: typed, secret: Self.secret, at: now)
        #expect(step == OneTimeCode.step(at: now))
    }

    @Test(arguments: ["", "50471", "0050471", "+050471", "05047l"])
    func `what is no six digits is no code`(typed: String) {
        let now = Timestamp(seconds: 1_111_111_111)
        #expect(OneTimeCode.matchingStep(typed: typed, secret: Self.secret, at: now) == nil)
    }

    @Test func `the enrolment URI says what apps need`() {
        let uri = OneTimeCode.enrolmentURI(secret: Self.secret, account: "alice@example.com", issuer: "My Bridge")
        #expect(
            uri == "otpauth://totp/My%20Bridge:alice%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=My%20Bridge&algorithm=SHA1&digits=6&period=30")
    }

    @Test func `attack: a sealed secret in another user's row opens for nobody`() throws {
        let secrets = SecondFactorSecrets(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
        let sealed = try secrets.seal(Self.secret, for: "alice")
        #expect(try secrets.open(sealed, for: "alice") == Self.secret)
        #expect(throws: MasterKeyError.self) { try secrets.open(sealed, for: "bob") }
    }

    @Test func `a recovery code is found by its digest however it is typed`() {
        let code = RecoveryCode(random: CountingRandom().source).text.expose()
        #expect(code.split(separator: "-").map(\.count) == [4, 4, 4, 4])
        let digest = RecoveryCode.digest(ofTyped: code)
        #expect(digest != nil)
        #expect(RecoveryCode.digest(ofTyped: " " + code.uppercased().replacing("-", with: "")) == digest)
        #expect(RecoveryCode.digest(ofTyped: code.replacing("-", with: "\u{a0}")) == digest)
        let wide = code.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xFEE0) }
        #expect(RecoveryCode.digest(ofTyped: String(String.UnicodeScalarView(wide))) == digest)
        #expect(RecoveryCode.digest(ofTyped: "123456") == nil)
    }
}

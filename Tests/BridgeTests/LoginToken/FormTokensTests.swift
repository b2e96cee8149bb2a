import Bridge
import Testing

@Suite struct FormTokensTests {
    private let clock = FixedClock()
    private let keys: Reloadable<SecretKeyRing>
    private let tokens: FormTokens
    private let browser = OpaqueSecret.make(.formBinding, random: CountingRandom().source)

    init() {
        keys = Reloadable(keyRing("k1"))
        tokens = FormTokens(keys: keys, time: clock.source)
    }

    @Test func `a token holds for the browser it was made for`() throws {
        let token = try tokens.make(for: .consent, binding: browser)
        #expect(tokens.verify(token, for: .consent, binding: browser))
        #expect(!tokens.verify(token, for: .consent, binding: OpaqueSecret.make(.formBinding, random: .system)))
    }

    @Test func `a token does what its page said, and nothing else`() throws {
        for purpose in FormTokens.Purpose.allCases {
            let token = try tokens.make(for: purpose, binding: browser)
            let fitting = FormTokens.Purpose.allCases.filter { tokens.verify(token, for: $0, binding: browser) }
            #expect(fitting == [purpose])
        }
    }

    @Test func `a token acts in the session that its page was shown in`() throws {
        let sessions = (0..<2).map { _ in OpaqueSecret.make(.webSession, random: .system) }
        let token = try tokens.make(for: .devices, binding: browser, session: sessions[0])
        #expect(tokens.verify(token, for: .devices, binding: browser, session: sessions[0]))
        #expect(!tokens.verify(token, for: .devices, binding: browser, session: sessions[1]))
        #expect(!tokens.verify(token, for: .devices, binding: browser))
        let free = try tokens.make(for: .devices, binding: browser)
        #expect(!tokens.verify(free, for: .devices, binding: browser, session: sessions[0]))
    }

    @Test func `a token ends after five minutes`() throws {
        let token = try tokens.make(for: .consent, binding: browser)
        clock.advance(.seconds(299))
        #expect(tokens.verify(token, for: .consent, binding: browser))
        clock.advance(.seconds(1))
        #expect(!tokens.verify(token, for: .consent, binding: browser))
    }

    @Test func `a later expiry cannot be written in`() throws {
        let parts = try tokens.make(for: .consent, binding: browser).split(separator: ".")
        let later = try #require(Int64(parts[0])) + 1
        #expect(!tokens.verify("\(later).\(parts[1]).\(parts[2])", for: .consent, binding: browser))
        #expect(!tokens.verify("+\(parts[0]).\(parts[1]).\(parts[2])", for: .consent, binding: browser))
    }

    @Test(arguments: ["", "..", "1.2", "1.2.3.4", "x.eA.eA", "1795244700.azE."])
    func `nonsense is refused`(text: String) {
        #expect(!tokens.verify(text, for: .consent, binding: browser))
    }

    @Test func `a token outlives a rotation and does not outlive its key`() throws {
        let token = try tokens.make(for: .consent, binding: browser)
        keys.replace(with: keyRing("k1", "k2"))
        #expect(tokens.verify(token, for: .consent, binding: browser))
        keys.replace(with: keyRing("k2"))
        #expect(!tokens.verify(token, for: .consent, binding: browser))
    }

    @Test func `without a key that may sign no form can be made`() throws {
        keys.replace(with: keyRing("k1", signsFrom: noon + .seconds(60)))
        #expect(throws: StorageError.self) { try tokens.make(for: .consent, binding: browser) }
    }
}

import Bridge
import Testing

@Suite struct ShortLivedSealTests {
    private let clock = FixedClock()
    private let keys: Reloadable<SecretKeyRing>

    init() { keys = Reloadable(keyRing("k1")) }

    private func seal(for purpose: DerivedKeyPurpose = .passwordLink) -> ShortLivedSeal {
        ShortLivedSeal(keys: keys, purpose: purpose, time: clock.source)
    }

    @Test func `what is sealed opens until its end, and no longer`() throws {
        let sealed = try seal().seal([1, 2, 3], lifetime: .seconds(60))
        clock.advance(.seconds(59))
        #expect(seal().open(sealed) == [1, 2, 3])
        clock.advance(.seconds(1))
        #expect(seal().open(sealed) == nil)
    }

    @Test func `attack: a later end cannot be written in`() throws {
        let sealed = try seal().seal([1, 2, 3], lifetime: .seconds(60))
        let parts = sealed.split(separator: ".")
        let later = try #require(Int64(parts[0])) + 1
        #expect(seal().open("\(later).\(parts[1]).\(parts[2])") == nil)
        #expect(seal().open(sealed) == [1, 2, 3])
    }

    @Test func `it opens with what it was bound to, for its own purpose alone`() throws {
        let sealed = try seal().seal([1, 2, 3], binding: "a", lifetime: .seconds(60))
        #expect(seal().open(sealed, binding: "a") == [1, 2, 3])
        #expect(seal().open(sealed, binding: "b") == nil)
        #expect(seal().open(sealed) == nil)
        let opening = DerivedKeyPurpose.allCases.filter { seal(for: $0).open(sealed, binding: "a") != nil }
        #expect(opening == [.passwordLink])
    }

    @Test func `it outlives a rotation and does not outlive its key`() throws {
        let sealed = try seal().seal([1, 2, 3], lifetime: .seconds(60))
        keys.replace(with: keyRing("k1", "k2"))
        #expect(seal().open(sealed) == [1, 2, 3])
        keys.replace(with: keyRing("k2"))
        #expect(seal().open(sealed) == nil)
    }

    @Test func `nothing is sealed for longer than a key is kept after it has signed`() throws {
        let sealed = try seal().seal([1, 2, 3], lifetime: .seconds(86_400))
        clock.advance(KeyAlgorithm.hs256.longestUse)
        #expect(seal().open(sealed) == nil)
    }
}

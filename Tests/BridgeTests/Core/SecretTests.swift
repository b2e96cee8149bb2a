import OAuth2
import Synchronization
import Testing

@testable import Bridge

@Suite struct SecretTests {
    private struct Holder {
        let name = "holder"
        let secret: Secret<String>
    }

    @Test func `a secret prints as redacted in every way of printing`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(Holder(secret: secret), to: &dumped)
        for text in [
            "\(secret)", String(describing: secret), String(reflecting: secret), dumped, "\(Holder(secret: secret))",
            "\([secret])",
        ] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("redacted"))
        }
        #expect(secret.expose() == "hunter2")
    }

    @Test(arguments: OpaqueSecret.Kind.allCases)
    func `an opaque secret has its prefix, 256 bits and a checksum, and parses back`(kind: OpaqueSecret.Kind) throws {
        let secret = OpaqueSecret.make(kind, random: .system)
        let text = secret.expose()
        #expect(text.hasPrefix(kind.rawValue) && text.utf8.count == kind.rawValue.utf8.count + 49)
        #expect(OpaqueSecret(text, kind: kind)?.digest == secret.digest)
        #expect(secret.digest.utf8.count == 43 && !secret.digest.contains(text.dropFirst(4).prefix(8)))
        #expect(!"\(secret)".contains(text.dropFirst(4)))
    }

    @Test(arguments: OpaqueSecret.Kind.allCases)
    func `a secret that tells its time parses back, and its digest begins with the time alone`(
        kind: OpaqueSecret.Kind
    ) throws {
        let now = Timestamp(milliseconds: 1_790_000_000_000)
        let secret = OpaqueSecret.make(kind, at: now, random: .system)
        let text = secret.expose()
        #expect(text.utf8.count == kind.rawValue.utf8.count + 57)
        #expect(OpaqueSecret(text, kind: kind)?.digest == secret.digest)
        let bytes = try #require(Base64URL.decode(String(secret.digest.prefix(8))))
        #expect(Timestamp(leading: bytes) == now)
        #expect(secret.digest.utf8.count == 51 && !secret.digest.dropFirst(8).contains(text.dropFirst(12).prefix(8)))
        let later = OpaqueSecret.make(kind, at: now, random: .system)
        #expect(later.digest.prefix(8) == secret.digest.prefix(8) && later.digest != secret.digest)
    }

    @Test func `the time in a secret is under its digest: another time is another secret`() throws {
        let fixed = RandomSource { Array(repeating: 7, count: $0) }
        let now = Timestamp(milliseconds: 1_790_000_000_000)
        let digests = [now, now + .milliseconds(1)].map {
            OpaqueSecret.make(.webSession, at: $0, random: fixed).digest.dropFirst(8)
        }
        #expect(digests[0] != digests[1])
    }

    @Test func `another kind, another length, a wrong checksum and foreign characters are refused`() {
        let text = OpaqueSecret.make(.webSession, random: .system).expose()
        #expect(OpaqueSecret(text, kind: .formBinding) == nil)
        #expect(OpaqueSecret(text + "A", kind: .webSession) == nil)
        #expect(OpaqueSecret(String(text.dropLast()), kind: .webSession) == nil)
        #expect(OpaqueSecret("", kind: .webSession) == nil)
        var changed = Array(text)
        changed[10] = changed[10] == "A" ? "B" : "A"
        #expect(OpaqueSecret(String(changed), kind: .webSession) == nil)
        changed[10] = "!"
        #expect(OpaqueSecret(String(changed), kind: .webSession) == nil)
    }

    @Test func `buffered random bytes are the source's own, in order, and none comes twice`() {
        let counter = Mutex(UInt8(0))
        let source = RandomSource { count in
            counter.withLock { next in
                defer { next += UInt8(count) }
                return (0..<UInt8(count)).map { next + $0 }
            }
        }
        let buffered = source.buffered(4)
        #expect(buffered.bytes(3) == [0, 1, 2])
        #expect(buffered.bytes(2) == [4, 5], "too few were left")
        #expect(buffered.bytes(5) == [8, 9, 10, 11, 12], "more than the buffer holds")
        #expect(buffered.bytes(2) == [6, 7])
        #expect(buffered.bytes(0).isEmpty)
    }

    @Test func `the checksum is CRC-32 with its check value`() {
        #expect(CRC32.checksum(Array("123456789".utf8)[...]) == 0xCBF4_3926)
    }

    @Test func `names that differ only in how an accent is composed are two names`() {
        let composed = Subject(rawValue: "caf\u{e9}")
        let decomposed = Subject(rawValue: "cafe\u{301}")
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == Subject(rawValue: "caf\u{e9}"))
    }

    @Test func `random bytes have the length asked for and differ`() {
        for count in [0, 1, 7, 8, 9, 16, 32] { #expect(RandomSource.system.bytes(count).count == count) }
        #expect(RandomSource.system.bytes(32) != RandomSource.system.bytes(32))
        #expect(RandomSource.system.text(16).utf8.count == 22)
    }
}

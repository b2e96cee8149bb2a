import Testing

@testable import RedisStorage

@Suite struct HashSlotTests {
    @Test(arguments: [
        ("123456789", 12_739), ("foo", 12_182), ("", 0), ("{foo}bar", 12_182), ("x{foo}{y}", 12_182),
        ("foo{}{bar}", 8_363), ("{foo", 13_308),
    ])
    func `a key has the slot that Redis gives it`(key: String, slot: Int) {
        #expect(HashSlot.of(key) == slot)
    }

    @Test(arguments: [
        ("MOVED 3999 127.0.0.1:6381", RedisAddress(host: "127.0.0.1", port: 6381), true),
        ("ASK 3999 ::1:6381", RedisAddress(host: "::1", port: 6381), false),
        ("MOVED 1 :6381", RedisAddress(host: "origin", port: 6381), true),
    ])
    func `a redirect names a node`(line: String, address: RedisAddress, isForGood: Bool) {
        let redirect = RedisRedirect(RedisServerError(line), from: RedisAddress(host: "origin", port: 1))
        #expect(redirect?.address == address)
        #expect(redirect?.isForGood == isForGood)
    }

    @Test(arguments: ["OOM no", "MOVED", "MOVED x a:1", "MOVED 16384 a:1", "MOVED 1 a", "MOVED 1 a:0", "ASK 1 a:1 b"])
    func `anything else is no redirect`(line: String) {
        #expect(RedisRedirect(RedisServerError(line), from: RedisAddress(host: "origin", port: 1)) == nil)
    }
}

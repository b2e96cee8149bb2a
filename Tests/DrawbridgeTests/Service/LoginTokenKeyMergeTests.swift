import Bridge
import Testing

@testable import drawbridge

@Suite struct LoginTokenKeyMergeTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func entry(_ id: String, retiresAt: Timestamp? = nil) -> LoginTokenKeyFile.Entry {
        LoginTokenKeyFile.Entry(
            id: id, createdAt: now, signsFrom: now - .seconds(1000), retiresAt: retiresAt,
            secret: Secret([UInt8](repeating: 1, count: 32)))
    }

    private func key(_ id: String, retiresAt: Timestamp? = nil) -> LoginTokenKey {
        LoginTokenKey(
            id: id, secret: Secret([UInt8](repeating: 1, count: 32)), signsFrom: now - .seconds(1000),
            retiresAt: retiresAt)
    }

    private func merged(
        _ entries: [LoginTokenKeyFile.Entry], keeping inUse: [LoginTokenKey]
    ) -> [String: Timestamp?] {
        Dictionary(
            uniqueKeysWithValues: LoginTokenKeyMerge.merge(
                LoginTokenKeyFile(entries: entries), keeping: inUse, at: now
            ).map { ($0.id, $0.retiresAt) })
    }

    @Test func `a key in use that the file retired a while ago verifies for another minute`() {
        let keys = merged([entry("a", retiresAt: now - .seconds(500)), entry("b")], keeping: [key("a")])
        #expect(keys == ["a": now + .seconds(60), "b": nil])
    }

    @Test func `a key in use that the file no longer has verifies for another minute`() {
        #expect(merged([entry("b")], keeping: [key("a")]) == ["a": now + .seconds(60), "b": nil])
    }

    @Test func `a key that was retired before does not come back`() {
        #expect(merged([entry("b")], keeping: [key("a", retiresAt: now - .seconds(1))]) == ["b": nil])
    }

    @Test func `another reload does not prolong the minute`() {
        let keys = merged([entry("b")], keeping: [key("a", retiresAt: now + .seconds(20))])
        #expect(keys == ["a": now + .seconds(20), "b": nil])
    }

    @Test func `at a start a retired key of the file stays retired`() {
        let keys = merged([entry("a", retiresAt: now - .seconds(500)), entry("b")], keeping: [])
        #expect(keys == ["a": now - .seconds(500), "b": nil])
    }
}

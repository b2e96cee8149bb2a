import OAuth2
import Testing
import TestSupport

@testable import Bridge

@Suite struct KeyScheduleTests {
    private let hour = Duration.seconds(3600)

    private func key(
        _ id: String, from seconds: Int64, until end: Int64? = nil, algorithm: KeyAlgorithm = .hs256
    ) -> SealedSigningKey {
        SealedSigningKey(
            id: id, algorithm: algorithm, sealedKey: id, publicKey: .object([:]), createdAt: noon,
            signsFrom: noon + .seconds(seconds), retiresAt: end.map { noon + .seconds($0) })
    }

    private func ends(_ schedule: KeySchedule) -> [String: Timestamp?] {
        Dictionary(uniqueKeysWithValues: schedule.live.map { ($0.id, $0.retiresAt) })
    }

    @Test func `an added key ends the one before it when nothing that this made can be alive`() {
        var schedule = KeySchedule([key("a", from: -100)], of: .hs256, at: noon)
        schedule.add(key("b", from: 10))
        #expect(schedule.signing?.id == "a")
        #expect(ends(schedule) == ["a": noon + .seconds(10) + hour, "b": nil])
        #expect(Set(schedule.changes.map(\.id)) == ["a", "b"])
    }

    @Test func `keys of other algorithms are none of its business`() {
        var schedule = KeySchedule([key("e", from: -5, algorithm: .es256)], of: .hs256, at: noon)
        #expect(schedule.signing == nil)
        schedule.withdraw(["e"]) { key("b", from: 0) }
        #expect(schedule.changes.map(\.id) == ["b"])
    }

    @Test func `a key that is to sign before one that waits already takes its place in the order`() {
        var schedule = KeySchedule([key("a", from: -100), key("c", from: 10_800)], of: .hs256, at: noon)
        schedule.add(key("b", from: 10))
        #expect(schedule.live.map(\.id) == ["a", "b", "c"])
        #expect(ends(schedule)["b"] == noon + .seconds(10_800) + hour)
        #expect(ends(schedule)["c"] == .some(nil))
    }

    @Test func `an end that was set is never moved forward`() {
        let late = noon + .seconds(90_000)
        var schedule = KeySchedule([key("a", from: -100, until: 90_000)], of: .hs256, at: noon)
        schedule.add(key("b", from: 10))
        #expect(ends(schedule)["a"] == late)
    }

    @Test func `what signs is withdrawn: a new key signs at once, not one that had signed before`() {
        var schedule = KeySchedule([key("old", from: -100, until: 50), key("now", from: -10)], of: .hs256, at: noon)
        schedule.withdraw(["now"]) { key("new", from: 0) }
        #expect(schedule.signing?.id == "new")
        #expect(ends(schedule) == ["old": noon + hour, "new": nil])
        #expect(schedule.changes.first { $0.id == "now" }?.withdrawnAt == noon)
    }

    @Test func `what signs is withdrawn while one waits: that one signs at once`() {
        var schedule = KeySchedule([key("now", from: -10), key("next", from: 3000)], of: .hs256, at: noon)
        schedule.withdraw(["now"]) {
            Issue.record("a key was made")
            return key("new", from: 0)
        }
        #expect(schedule.signing?.id == "next")
        #expect(ends(schedule) == ["next": nil])
    }

    @Test func `a key that only verifies is withdrawn: nothing else changes`() {
        var schedule = KeySchedule([key("old", from: -100, until: 50), key("now", from: -10)], of: .hs256, at: noon)
        schedule.withdraw(["old"]) { key("new", from: 0) }
        #expect(schedule.signing?.id == "now")
        #expect(schedule.changes.map(\.id) == ["old"])
    }

    @Test func `a key that waits is withdrawn: the one that signs goes on, and without an end`() {
        var schedule = KeySchedule([key("now", from: -10, until: 7200), key("next", from: 3000)], of: .hs256, at: noon)
        schedule.withdraw(["next"]) { key("new", from: 0) }
        #expect(schedule.signing?.id == "now")
        #expect(ends(schedule) == ["now": nil])
    }

    @Test func `of two that wait the first is withdrawn: the one that signs lives until the second takes over`() {
        var schedule = KeySchedule(
            [key("now", from: -10, until: 3700), key("next", from: 100), key("last", from: 3000)], of: .hs256,
            at: noon)
        schedule.withdraw(["next"]) { key("new", from: 0) }
        #expect(ends(schedule) == ["now": noon + .seconds(3000) + hour, "last": nil])
    }

    @Test func `all are withdrawn: one new key is left`() {
        let all = [key("old", from: -100, until: 50), key("now", from: -10), key("next", from: 3000)]
        var schedule = KeySchedule(all, of: .hs256, at: noon)
        schedule.withdraw(Set(all.map(\.id))) { key("new", from: 0) }
        #expect(schedule.live.map(\.id) == ["new"])
    }

    @Test func `a key that has ended stays ended whatever comes`() {
        var schedule = KeySchedule([key("dead", from: -200, until: 0), key("now", from: -10)], of: .hs256, at: noon)
        schedule.add(key("next", from: 10))
        schedule.withdraw(["now"]) { key("new", from: 0) }
        #expect(!schedule.live.contains { $0.id == "dead" })
        #expect(!schedule.changes.contains { $0.id == "dead" })
    }

    @Test func `a released key signs from now on, one that signs already from when it did`() {
        var schedule = KeySchedule([key("a", from: -100), key("b", from: 10)], of: .hs256, at: noon)
        schedule.release("b")
        schedule.release("a")
        #expect(schedule.signing?.id == "b")
        #expect(schedule.live.map(\.signsFrom) == [noon - .seconds(100), noon])
    }

    @Test(arguments: ["a", "z"])
    func `what takes over comes behind a key that began by a clock that is ahead`(name: String) {
        let ahead = key("m", from: 4)
        var schedule = KeySchedule([ahead, key("now", from: 5)], of: .hs256, at: noon)
        #expect(schedule.signing?.id == "now")
        schedule.withdraw(["now"]) { key(name, from: 0) }
        #expect(schedule.signing?.id == name)
        schedule.add(key("next", from: 15))
        schedule.release("next")
        #expect(schedule.signing?.id == "next")
    }

    @Test(arguments: UInt64(1)...200)
    func `whatever happens, one signs, the last has no end, and each outlives what it made`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var keys: [SealedSigningKey] = []
        var number = 0
        var now = noon
        func make(after delay: Duration) -> SealedSigningKey {
            number += 1
            return SealedSigningKey(
                id: "k\(number)", algorithm: .hs256, sealedKey: "", publicKey: .object([:]), createdAt: now,
                signsFrom: now + delay)
        }
        var madeLast: [String: Timestamp] = [:]
        for _ in 0..<60 {
            now = now + .seconds(Int(random.next() % 900))
            var schedule = KeySchedule(keys, of: .hs256, at: now)
            schedule.ensureSigner { make(after: .zero) }
            let known = schedule.live.map(\.id)
            switch random.next() % 4 {
            case 0: schedule.add(make(after: .seconds(Int(random.next() % 3000))))
            case 1: schedule.withdraw([known[Int(random.next() % UInt64(known.count))]]) { make(after: .zero) }
            case 2: schedule.release(known[Int(random.next() % UInt64(known.count))])
            default: break
            }
            for key in schedule.changes {
                keys.removeAll { $0.id == key.id }
                keys.append(key)
            }
            let live = KeySchedule(keys, of: .hs256, at: now).live
            let signing = live.last { $0.hasBegun(at: now) }
            #expect(signing != nil)
            #expect(live.last?.retiresAt == nil)
            #expect(live.dropLast().allSatisfy { $0.retiresAt != nil })
            if let signing { madeLast[signing.id] = now }
            for key in keys where key.withdrawnAt == nil {
                guard let end = key.retiresAt, let last = madeLast[key.id] else { continue }
                #expect(end >= last + .seconds(1800), "what \(key.id) made at its last would die early")
            }
        }
    }
}

import Testing

@testable import Bridge

@Suite struct DeviceUserCodeTests {
    @Test func `a code is eight letters of twenty, in two groups`() {
        for _ in 0..<200 {
            let shown = DeviceUserCode.make(random: .system).shown
            #expect(shown.wholeMatch(of: #/[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/#) != nil)
        }
    }

    @Test func `every letter is as likely as every other`() {
        var counts: [Character: Int] = [:]
        for _ in 0..<5000 {
            for letter in DeviceUserCode.make(random: .system).shown { counts[letter, default: 0] += 1 }
        }
        counts["-"] = nil
        #expect(counts.count == 20)
        // 2000 are expected of each; seven standard deviations are 310.
        #expect(counts.values.allSatisfy { (1690...2310).contains($0) })
    }

    @Test(arguments: ["WDJB-MJHT", "wdjbmjht", " wd jb.mj_ht ", "WDJB–MJHT", "w-d-j-b-m-j-h-t"])
    func `what people type is read`(_ typed: String) throws {
        #expect(try #require(DeviceUserCode(typed)).shown == "WDJB-MJHT")
    }

    @Test(arguments: ["", "WDJB-MJH", "WDJB-MJHTT", "WDJA-MJHT", "WDJB-MJH7", "ŴDJB-MJHT"])
    func `what cannot be a code is none`(_ typed: String) {
        #expect(DeviceUserCode(typed) == nil)
    }
}

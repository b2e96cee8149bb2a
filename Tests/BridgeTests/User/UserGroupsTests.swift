import Bridge
import OAuth2
import Testing

@Suite struct UserGroupsTests {
    @Test(arguments: [
        (64, 32, true), (65, 3, false), (1, 128, true), (1, 129, false), (16, 128, true), (17, 128, false),
    ])
    func `a user has at most 64 groups, with names of at most 128 bytes and 2048 in all`(
        count: Int, length: Int, isTaken: Bool
    ) {
        let names = (0..<count).map { number in
            let digits = String(number)
            return JSONValue.string(digits + String(repeating: "x", count: length - digits.utf8.count))
        }
        #expect((UserGroups(.array(names)) != nil) == isTaken)
    }

    @Test(arguments: [["staff", "staff"], [""], [" "], ["a\nb"], ["\u{7F}"]])
    func `a name of a group is there once, can be seen, and holds no control character`(names: [String]) {
        #expect(UserGroups(.array(names.map(JSONValue.string))) == nil)
    }
}

import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

/// Lists of texts as one argument.
@Suite struct SQLListTests {
    @Test(arguments: AnticipationTests.Place.present)
    func `a text of any kind is found by a list, and no other`(place: AnticipationTests.Place) async throws {
        let names: [Subject] = ["a\"b", "c\\d", "e,f", "[]", "<é\u{2028}", "1", "\n"]
        try await place.with { storage, _ in
            for name in names + ["2", "a", "b"] { try await storage.addUser(name, at: Visit.now) }
            let found: [Subject] = try await storage.read { session in
                let text = "SELECT subject FROM app_user WHERE \(storage.dialect.isAmong("subject", "$1"))"
                return try SQLValue.lists(of: names + ["nobody"]).flatMap { list in
                    try session.run(SQLStatement(text), [list]).map { try $0.identifier(0) }
                }
            }
            #expect(found.count == names.count)
            #expect(Set(found) == Set(names))
        }
    }

    @Test func `there are as few lists as will do, and none of nothing`() throws {
        let names = (0...SQLValue.mostListed).map { Subject(rawValue: "u\($0)") }
        #expect(try SQLValue.lists(of: names).count == 2)
        #expect(try SQLValue.lists(of: Array(names.dropLast())).count == 1)
        #expect(try SQLValue.lists(of: [Subject]()).isEmpty)
    }

    @Test func `a text with a zero byte is in no list`() {
        #expect(throws: SQLError.self) { try SQLValue.lists(of: ["alice", "bob\0"] as [Subject]) }
    }
}

import Testing

@testable import drawbridge

@Suite struct NamedCommandTests {
    @Test(arguments: [
        ([], "drawbridge"), (["keys", "rotate", "--activate-in", "3h"], "drawbridge keys rotate"),
        (["help", "audit", "search"], "drawbridge audit search"),
        (["serve", "--config", "a.yaml", "word"], "drawbridge serve"), (["--version"], "drawbridge"),
        (["users", "second-factor", "enrol", "alice"], "drawbridge users second-factor enrol"),
    ])
    func `words name a command`(_ words: [String], _ name: String) {
        #expect(NamedCommand(words).name == name)
        #expect(NamedCommand(words).problem == nil)
    }

    @Test(arguments: [
        (["serv"], "drawbridge has no command serv. Did you mean serve?"),
        (["help", "bogus"], "drawbridge has no command bogus."),
        (["keys", "rotat"], "drawbridge keys has no command rotat. Did you mean rotate?"),
    ])
    func `a command that is none is told, with the nearest one`(_ words: [String], _ problem: String) {
        #expect(NamedCommand(words).problem == problem)
    }

    @Test func `a command knows where its help is`() {
        #expect(NamedCommand(AuditCommand.Search.self).pointer == "See 'drawbridge help audit search'.")
    }
}

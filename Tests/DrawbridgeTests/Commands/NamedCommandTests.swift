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

    @Test(arguments: [
        (["users", "role", "-_09oX3", "admin"], "-_09oX3" as String?),
        (["users", "role", "--", "-_09oX3", "admin"], nil),
        (["users", "add", "-h"], nil), (["clients", "add", "-"], nil), (["serve", "--config", "a.yaml"], nil),
    ])
    func `a name that was read as an option is told where it goes`(_ words: [String], _ name: String?) {
        let hint = name.map { "A name that begins with a dash goes after the options and two dashes: -- \($0)" }
        #expect(NamedCommand.dashHint(for: words) == hint)
    }

    @Test func `a command knows where its help is`() {
        #expect(NamedCommand(AuditCommand.Search.self).pointer == "See 'drawbridge help audit search'.")
    }
}

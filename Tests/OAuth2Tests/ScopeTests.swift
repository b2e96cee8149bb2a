import OAuth2
import Testing

@Suite struct ScopeTests {
    @Test(arguments: ["", " ", "a ", " a", "a  b", "a\"b", "a\\b", "ä", "a\tb"])
    func `what RFC 6749 does not allow is no scope`(_ text: String) {
        #expect(Scope(text) == nil)
    }

    @Test func `tokens are kept once, in their order`() throws {
        let scope = try #require(Scope("b a b"))
        #expect(scope.description == "b a")
        #expect(scope.isSubset(of: Scope(tokens: ["a", "b", "c"])))
        #expect(!Scope(tokens: ["a", "d"]).isSubset(of: scope))
    }
}

import OAuth2
import Testing

@Suite struct UnknownNameTests {
    @Test(arguments: [
        ("frm", "\"frm\" is not a parameter of this address; known: from, to"),
        ("rate-limit.x_1", "\"rate-limit.x_1\" is not a parameter of this address; known: from, to"),
        // What cannot be a name may be a secret, or do something where it is shown.
        ("", "one of the names is not a parameter of this address; known: from, to"),
        ("a b", "one of the names is not a parameter of this address; known: from, to"),
        ("<b>", "one of the names is not a parameter of this address; known: from, to"),
        (String(repeating: "a", count: 41), "one of the names is not a parameter of this address; known: from, to"),
    ])
    func `a name that nobody reads is named when it can be one`(name: String, text: String) {
        let error = OAuthError.unknown(name, as: "parameter of this address", known: ["to", "from"])
        #expect(error.code == .invalidRequest && error.publicDescription == text)
    }
}

import Bridge
import Testing

@testable import drawbridge

@Suite struct RedirectExplanationTests {
    @Test(arguments: [
        ("/contacts", #"{"accepted":true,"location":"https://w.example/contacts","reason":null}"#),
        ("/contacts?", #"{"accepted":true,"location":"https://w.example/contacts","reason":null}"#),
        ("//evil.example", #"{"accepted":false,"location":"https://w.example/contacts","reason":"malformed"}"#),
        ("/other", #"{"accepted":false,"location":"https://w.example/contacts","reason":"not_listed"}"#),
    ])
    func `one line of JSON says what would be decided`(_ value: String, _ expected: String) throws {
        let policy = try ReturnPathPolicy(entries: ["/contacts"], defaultPath: "/contacts")
        let explanation = RedirectExplanation(policy: policy, origin: "https://w.example")
        #expect(explanation.line(for: Array(value.utf8)) == expected)
    }
}

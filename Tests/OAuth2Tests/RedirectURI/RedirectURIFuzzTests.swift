import OAuth2
import Testing
import TestSupport

/// The matcher and the registration rules against a second reading that shares no code with them.
///
/// The oracle works on characters, from the sentences of RFC 8252 §7 and RFC 3986 §3; the product works on bytes.
@Suite struct RedirectURIFuzzTests {
    private static let seeds = [
        "com.example.app:/oauth2redirect/example-provider", "com.example.app:/cb?tenant=a",
        "https://app.example.com/oauth2redirect", "https://client.example.org:8443/cb?foo=bar",
        "http://127.0.0.1/cb", "http://127.0.0.1:8400/cb", "http://[::1]/cb", "http://[::1]:1/cb?x",
        "http://localhost/cb",
    ]
    private static let pieces = [
        "", "a", "A", "0", ":", "/", "//", "?", "#", "@", "%", "%2e", "%2E%2e", "..", ".", "*", "\\", " ", "\n", "\t",
        "é",
        ":1", ":0", ":65535", ":65536", ":080", "localhost", "127.0.0.1", "[::1]", "http://", "https://", "-", "_",
        ".example.com", "&x=1", "example", "[", "]", "com.", "%zz",
    ]

    private static func mutations(of seed: String, using generator: inout SplitMix64) -> String {
        var characters = Array(seed)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let index = Int.random(in: 0...characters.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                characters.insert(contentsOf: pieces.randomElement(using: &generator) ?? "", at: index)
            case 1 where index < characters.count:
                characters.remove(at: index)
            case _ where index < characters.count:
                let end = min(characters.count, index + Int.random(in: 1...4, using: &generator))
                characters.replaceSubrange(index..<end, with: pieces.randomElement(using: &generator) ?? "")
            default: break
            }
        }
        return String(characters)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `product and oracle agree on what may be registered`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let text = Self.mutations(of: Self.seeds.randomElement(using: &generator) ?? "", using: &generator)
            let isNative = Bool.random(using: &generator)
            let allowsLocalhost = Bool.random(using: &generator)
            let rules = RedirectURIRules(isNative: isNative, allowsLocalhost: allowsLocalhost)
            let accepted = (try? RedirectURI(registering: text, rules: rules)) != nil
            let expected = RedirectURIOracle.mayRegister(text, isNative: isNative, allowsLocalhost: allowsLocalhost)
            #expect(accepted == expected, "\(text.debugDescription) native: \(isNative) localhost: \(allowsLocalhost)")
        }
    }

    @Test(arguments: [UInt64(11), 12, 13, 14])
    func `product and oracle agree on what a request may ask for`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var accepted = 0
        for _ in 0..<20_000 {
            let registered = Self.seeds.randomElement(using: &generator) ?? ""
            let requested = Self.mutations(of: registered, using: &generator)
            let uri = try RedirectURI(
                registering: registered, rules: RedirectURIRules(isNative: true, allowsLocalhost: true))
            let matches = uri.matches(Array(requested.utf8))
            if matches { accepted += 1 }
            #expect(
                matches == RedirectURIOracle.mayRequest(requested, registered: registered),
                "\(requested.debugDescription) for \(registered)")
        }
        #expect(accepted > 1000)
    }
}

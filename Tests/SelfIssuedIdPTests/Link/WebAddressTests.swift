import Testing

@testable import SelfIssuedIdP

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("https://example.com/", "example.com", 443, "/"), ("https://example.com", "example.com", 443, "/"),
        ("https://Example.COM:8443/a?b=c", "example.com", 8443, "/a?b=c"),
        ("https://example.com?x", "example.com", 443, "/?x"), ("https://127.0.0.1:1/", "127.0.0.1", 1, "/"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/"),
    ])
    func `a plain address is read`(_ text: String, _ host: String, _ port: Int, _ target: String) throws {
        let address = try #require(WebAddress(text))
        #expect((address.host, address.port, address.target, address.text) == (host, port, target, text))
    }

    @Test(arguments: [
        "http://example.com/", "HTTPS://example.com/", "https:/example.com", "https://", "https:///x",
        "https://user:pw@example.com/", "https://example.com/#", "https://example.com/a b", "https://example.com\\x",
        "https://example.com/%zz", "https://example.com/%4", "https://exa_mple.com/", "https://-a.example/",
        "https://a..example/", "https://example.com./", "https://[::1]/", "https://example.com:/",
        "https://example.com:0/", "https://example.com:0443/", "https://example.com:65536/", "https://example.com:1:2/",
        "https://0x7f.1/", "https://127.1/", "https://2130706433/", "https://1.2.3.04/", "https://a.0x7f/",
        "https://bücher.example/", "https://example.com/ü", "https://example.com/\u{202E}",
        "https://" + String(repeating: "a", count: 64) + ".example/",
    ])
    func `an address that two readers could read differently is none`(_ text: String) {
        #expect(WebAddress(text) == nil)
    }
}

import Bridge
import Testing

@Suite struct NetworkTests {
    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("2001:db8:0:0::1", "2001:db8::1"), ("::ffff:203.0.113.7", "203.0.113.7"),
        ("::1", "::1"),
    ])
    func `an address is read and written in its shortest form`(text: String, written: String) {
        #expect(NetworkAddress(text)?.description == written)
    }

    @Test(arguments: [
        "", "203.0.113", "203.0.113.256", "203.0.113.7:80", "[::1]", "fe80::1%eth0", "localhost", "0x7f.1",
        "203.0.113.07 ", "::1\u{0}", "::\u{0}]evil.example", "203.0.113.7\u{0}/8",
    ])
    func `what is not a plain address is refused`(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test(arguments: [
        ("203.0.113.0/24", "203.0.113.255", true), ("203.0.113.0/24", "203.0.112.255", false),
        ("10.0.0.0/8", "10.255.0.1", true), ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "::1", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("::/0", "2001:db8::1", true),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true),
    ])
    func `a prefix holds the addresses below it`(prefix: String, address: String, holds: Bool) throws {
        let prefix = try #require(NetworkPrefix(prefix))
        #expect(try prefix.contains(#require(NetworkAddress(address))) == holds)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129", "x/8",
    ])
    func `a malformed prefix is refused`(text: String) {
        #expect(NetworkPrefix(text) == nil)
    }

    @Test func `limits count by /24 and /64, bindings compare by /24 and /48`() throws {
        let v4 = try #require(NetworkAddress("203.0.113.7"))
        let v6 = try #require(NetworkAddress("2001:db8:1:2:3:4:5:6"))
        #expect(v4.limitNetwork.description == "203.0.113.0/24" && v4.bindingNetwork.description == "203.0.113.0/24")
        #expect(
            v6.limitNetwork.description == "2001:db8:1:2::/64" && v6.bindingNetwork.description == "2001:db8:1::/48")
        #expect(v4.network(99).description == "203.0.113.7/32")
        #expect(v4.network(-1).description == "0.0.0.0/0")
    }

    @Test(arguments: [
        "https://www.example.com", "https://www.example.com:8443", "http://127.0.0.1:8080", "http://[::1]:8080",
        "http://localhost", "https://xn--caf-dma.example", "https://a_b.example", "https://[2001:db8::1]",
        "https://1.example", "https://a.0xyz", "https://node-1",
    ])
    func `an origin in its serialised form is accepted`(text: String) {
        #expect(WebOrigin(text)?.description == text)
    }

    @Test(arguments: [
        "", "www.example.com", "https://", "https://www.example.com/", "https://WWW.example.com",
        "HTTPS://www.example.com",
        "https://www.example.com:443", "http://www.example.com:80", "https://user@www.example.com",
        "https://www.example.com?x",
        "https://www.example.com:0", "https://www.example.com:65536", "https://www.example.com:+80",
        "https://www.example.com:080",
        "https://[::1", "https://[::1]x", "https://[127.0.0.1]", "https://-a.example", "https://a..example",
        "ftp://a.example",
        "https://caf\u{e9}.example", "https://a.example ", "https://a.example\n",
        "https://[2001:DB8::1]", "https://[0:0:0:0:0:0:0:1]", "https://[::0001]", "https://[::ffff:127.0.0.1]",
        "https://2130706433", "https://127.0.0.01", "https://256.1.1.1", "https://127.1", "https://0x7f.1",
        "https://1.2.3.0x4", "https://a.example.0x", "https://a.example.7",
    ])
    func `an origin in any other form is refused`(text: String) {
        #expect(WebOrigin(text) == nil)
    }

    @Test(arguments: [
        ("https://www.example.com", ["www.example.com", "www.example.com:443"]),
        ("http://localhost", ["localhost", "localhost:80"]),
        ("https://www.example.com:8443", ["www.example.com:8443"]), ("http://[::1]:8080", ["[::1]:8080"]),
    ])
    func `RFC 9110 §4.2.3: the scheme's own port may be written out`(origin: String, authorities: [String]) throws {
        #expect(try #require(WebOrigin(origin)).authorities == authorities)
    }

    @Test func `an origin knows whether it is secure and whether it stays on the machine`() throws {
        #expect(try #require(WebOrigin("https://a.example")).isSecure)
        #expect(try !#require(WebOrigin("http://a.example")).isSecure)
        #expect(try #require(WebOrigin("http://[::1]:1")).isLoopback)
        #expect(try !#require(WebOrigin("http://127.0.0.2")).isLoopback)
    }
}

import Testing

@testable import OAuth2

@Suite struct HTTPTargetTests {
    @Test(arguments: [
        ("https://id.example.com/oauth/token", "https://id.example.com/oauth/token"),
        ("HTTPS://ID.Example.COM/oauth/token", "https://id.example.com/oauth/token"),
        ("https://id.example.com:443/oauth/token", "https://id.example.com/oauth/token"),
        ("https://id.example.com:/oauth/token", "https://id.example.com/oauth/token"),
        ("https://id.example.com:8443/a", "https://id.example.com:8443/a"),
        ("http://127.0.0.1:80/a", "http://127.0.0.1/a"),
        ("http://[::1]:80/a", "http://[::1]/a"),
        ("http://[::1]:443/a", "http://[::1]:443/a"),
        ("https://id.example.com", "https://id.example.com/"),
        ("https://id.example.com?x=1", "https://id.example.com/"),
        ("https://id.example.com/a?x=/b#c", "https://id.example.com/a"),
        ("https://id.example.com/a#?", "https://id.example.com/a"),
        ("https://id.example.com/%7Ealice/%c3%a9%2f", "https://id.example.com/~alice/%C3%A9%2F"),
        ("https://id.example.com/A", "https://id.example.com/A"),
    ])
    func `spellings of one address are one (RFC 9449 §4.3)`(text: String, normal: String) {
        #expect(HTTPTarget(text)?.description == normal)
    }

    @Test(arguments: [
        "", "id.example.com/a", "/oauth/token", "ftp://id.example.com/a", "https:/id.example.com/a", "https:///a",
        "https://user@id.example.com/a", "https://id.example.com:80a/b", "https://:443/a", "https://id.example.com/a b",
        "https://id.example.com/\u{e9}", "https://id.example.com/%", "https://id.example.com/%4", "https://e/%zz",
        "javascript://id.example.com/a",
    ])
    func `what is no web address is none`(_ text: String) {
        #expect(HTTPTarget(text) == nil)
    }
}

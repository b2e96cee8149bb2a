import Testing

@testable import drawbridge_app

@Suite struct LoopbackPageTests {
    @Test func `an IPv6 address stands in brackets`() {
        #expect(LoopbackFamily.ipv6.addressHost == "[::1]")
        #expect(LoopbackFamily.ipv4.addressHost == "127.0.0.1")
    }

    @Test(arguments: [
        (nil, "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("en-GB,en;q=0.9,de;q=0.8", "en"),
        ("fr,de;q=0.5", "en"), ("", "en"), ("DE;q=1", "de"),
    ])
    func `the page speaks the browser's first language, else English`(_ header: String?, _ language: String) {
        #expect(LoopbackLanguage(accepting: header).rawValue == language)
        #expect(
            LoopbackPage.finished.html(in: LoopbackLanguage(accepting: header)).contains("<html lang=\"\(language)\">"))
    }

    @Test func `the page's policy allows its own style and script by their hashes, and no others`() {
        let policy = LoopbackPage.headers.first { $0.0 == "Content-Security-Policy" }?.1 ?? ""
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(!policy.contains("unsafe"))
    }
}

import Testing

@testable import SelfIssuedIdP

@Suite struct CertificateNamesTests {
    @Test(arguments: [
        (["example.com"], "example.com", true), (["EXAMPLE.com"], "example.com", true),
        (["a.example", "example.com"], "example.com", true), (["*.example.com"], "rp.example.com", true),
        (["*.example.com"], "example.com", false), (["*.example.com"], "a.b.example.com", false),
        (["*.com"], "example.com", false), (["*"], "example.com", false), (["*.*.com"], "a.example.com", false),
        (["r*.example.com"], "rp.example.com", false), (["example.com.evil.example"], "example.com", false),
        (["example.com\u{0}.evil.example"], "example.com", false), ([], "example.com", false),
        (["127.0.0.1"], "127.0.0.1", false),
    ])
    func `a certificate speaks for the names in it`(_ names: [String], _ host: String, _ covers: Bool) throws {
        let address = try #require(WebAddress("https://\(host)/"))
        #expect(CertificateNames(dnsNames: names).cover(address) == covers)
    }

    @Test func `an address is covered as an address alone`() throws {
        let address = try #require(WebAddress("https://192.0.2.7/"))
        #expect(CertificateNames(dnsNames: [], addresses: ["192.0.2.7"]).cover(address))
        #expect(!CertificateNames(dnsNames: ["192.0.2.7", "*.0.2.7"], addresses: ["192.0.2.8"]).cover(address))
    }
}

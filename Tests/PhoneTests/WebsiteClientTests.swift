import NIOCore
import SelfIssuedIdP
import Testing

@testable import drawbridge_phone

/// Which hosts are connected to, by all addresses that a name leads to.
@Suite struct WebsiteClientTests {
    private func reason(_ addresses: [String], allowsPrivate: Bool = false) throws -> PhoneRefusal.Reason? {
        let client = try WebsiteClient(authorities: nil, allowsPrivate: allowsPrivate, fixed: [:])
        let website = try #require(WebAddress("https://example.com/"))
        let found = try addresses.map { try SocketAddress(ipAddress: $0, port: 443) }
        return client.flaw(in: found, of: website)?.reason
    }

    @Test(arguments: [["93.184.215.14"], ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]])
    func `a host out in the open is connected to`(_ addresses: [String]) throws {
        #expect(try reason(addresses) == nil)
    }

    @Test(arguments: [
        ["127.0.0.1"], ["::1"], ["fe80::1"], ["::ffff:10.0.0.1"], ["93.184.215.14", "192.168.0.1"],
        ["192.168.0.1", "93.184.215.14"], ["93.184.215.14", "::ffff:127.0.0.1"],
    ])
    func `a name with one address inside the home is not connected to at all`(_ addresses: [String]) throws {
        #expect(try reason(addresses) == .addressNotPublic)
        #expect(try reason(addresses, allowsPrivate: true) == nil)
    }

    @Test func `a name without an address is unknown`() throws {
        #expect(try reason([]) == .hostUnknown)
    }

    @Test func `authorities that cannot be read are said`() {
        let refusal = #expect(throws: PhoneRefusal.self) {
            try WebsiteClient(authorities: "/nowhere.pem", allowsPrivate: false, fixed: [:])
        }
        #expect(refusal?.reason == .certificateUntrusted)
    }
}

import Bridge
import HTTPTypes
import Testing

@testable import BridgeHTTP

@Suite struct ClientAddressTests {
    static let cases: [(peer: String?, forwarded: [String], client: String?)] = [
        ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["1.2.3.4, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["1.2.3.4", "203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        ("10.0.0.1", ["nonsense, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["203.0.113.9, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.9, nonsense, 10.0.0.3"], "10.0.0.3"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["203.0.113.9:4711"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("2001:db8::1", ["2001:db8:ffff::9"], "2001:db8:ffff::9"),
        (nil, ["203.0.113.9"], nil),
    ]

    @Test(arguments: cases)
    func `the right-most untrusted address is the client`(
        peer: String?, forwarded: [String], client: String?
    ) throws {
        let resolver = ClientAddress(
            trustedProxies: try ["10.0.0.0/8", "2001:db8::/48"].map { try #require(NetworkPrefix($0)) },
            trustsLocalSocket: false)
        var headers: HTTPFields = [:]
        for value in forwarded { headers.append(HTTPField(name: .xForwardedFor, value: value)) }
        let address = resolver.resolve(peer: peer.flatMap { NetworkAddress($0) }, headers: headers)
        #expect(address?.description == client)
    }
}

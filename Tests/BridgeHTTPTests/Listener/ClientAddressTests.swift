import Bridge
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
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
        ("10.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"),
        ("10.0.0.1", ["1.2.3.4:1, 203.0.113.9:65535, 10.0.0.2:443"], "203.0.113.9"),
        ("10.0.0.1", ["[2001:db8:ffff::9]:443"], "2001:db8:ffff::9"),
        ("10.0.0.1", ["[2001:db8:ffff::9]"], "2001:db8:ffff::9"),
        ("10.0.0.1", ["2001:db8:ffff::9"], "2001:db8:ffff::9"),
        ("10.0.0.1", ["[::ffff:203.0.113.9]:443"], "203.0.113.9"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("2001:db8::1", ["2001:db8:ffff::9"], "2001:db8:ffff::9"),
        (nil, ["203.0.113.9"], nil),
    ]

    private static func found(from peer: String?, _ forwarded: [String]) throws -> ClientAddress.Found {
        let resolver = ClientAddress(
            trustedProxies: try ["10.0.0.0/8", "2001:db8::/48"].map { try #require(NetworkPrefix($0)) },
            trustsPeersWithoutAddress: false)
        var headers: HTTPFields = [:]
        for value in forwarded { headers.append(HTTPField(name: .xForwardedFor, value: value)) }
        return resolver.resolve(peer: peer.flatMap { NetworkAddress($0) }, headers: headers)
    }

    @Test(arguments: cases)
    func `the right-most untrusted address is the client`(
        peer: String?, forwarded: [String], client: String?
    ) throws {
        #expect(try Self.found(from: peer, forwarded).address?.description == client)
    }

    @Test(arguments: [
        "nonsense", "unknown", "", "nonsense:80", "203.0.113.9:", "203.0.113.9:0", "203.0.113.9:65536",
        "203.0.113.9:+80", "203.0.113.9:8a", "203.0.113.9:000080", "203.0.113.9:80:80", "[203.0.113.9]:80",
        "[2001:db8:ffff::9", "[]:80", "[2001:db8:ffff::9]443", "[2001:db8:ffff::9]:", "[2001:db8:ffff::9]]",
        "2001:db8:ffff:0:0:0:0:9:443",
    ])
    func `a trusted proxy that writes no address stands for its visitors, and that can be told`(entry: String) throws {
        let found = try Self.found(from: "10.0.0.1", [entry])
        #expect(found.address?.description == "10.0.0.1")
        #expect(found.isProxyUnreadable)
    }

    @Test(arguments: [
        ("10.0.0.1", "203.0.113.9"), ("10.0.0.1", "nonsense, 203.0.113.9"), ("198.51.100.1", "nonsense"),
    ])
    func `what nobody trusts wrote is nothing to tell`(peer: String, forwarded: String) throws {
        #expect(try !Self.found(from: peer, [forwarded]).isProxyUnreadable)
    }

    @Test func `the log tells of a proxy's entry that is no address, once and without the entry`() async throws {
        try await TestBridge.run { bridge, client in
            for entry in ["203.0.113.9", "not-an-address", "neither-is-this"] {
                _ = try await client.send(.get, "/session", [.xForwardedFor: entry])
            }
            #expect(bridge.logMessages.text.ranges(of: "entry in X-Forwarded-For").count == 1)
            #expect(!bridge.logMessages.text.contains("not-an-address"))
        }
    }
}

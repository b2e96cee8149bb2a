import OAuth2
import Testing

@testable import Bridge

/// What events say of whoever sent a request (contract §8).
@Suite struct RequestOriginTests {
    private static let agents: [String?] = [
        nil, "", "Safari", "Zoë 王 😀", RequestOrigin.redactedUserAgent,
        "InApp/1.0 (\(OpaqueSecret.make(.deviceSecret, random: .system).expose()))",
        String(repeating: "a", count: RequestOrigin.userAgentLimit),
        String(repeating: "a", count: RequestOrigin.userAgentLimit - 1) + "é",
        String(repeating: "a", count: RequestOrigin.userAgentLimit + 1) + " ds_",
    ]

    @Test(arguments: agents)
    func `an origin that was looked through says what it would have said`(userAgent: String?) {
        for address in [nil, "203.0.113.7", "2001:db8::9"] {
            let sent = origin(address, userAgent: userAgent, id: "request")
            for examined in [sent.examined, sent.examined.examined] {
                #expect(examined.userAgent == sent.userAgent)
                #expect(examined.addressText == sent.addressText && sent.addressText == address)
                #expect(examined.address == sent.address && examined.networkName == sent.networkName)
                #expect(examined.requestID == "request")
            }
        }
    }

    @Test(arguments: agents)
    func `an event has the same words of either`(userAgent: String?) {
        let sent = origin(userAgent: userAgent)
        let events = [sent, sent.examined].map {
            AuditEvent(at: noon, type: .loginTokenRedeemed, outcome: .success, origin: $0)
        }
        #expect(events[0] == events[1])
        #expect(events[0].address == "203.0.113.7" && events[0].requestID == "r")
    }

    @Test func `looking an origin through leaves what the browser is known by`() {
        var sent = origin()
        sent.recognition = Secret("known")
        #expect(sent.examined.recognition?.expose() == "known")
    }

    // Contract §12.
    @Test(arguments: [
        (String(repeating: "a", count: 600), 512), (String(repeating: "é", count: 300), 512),
        ("x" + String(repeating: "é", count: 300), 511), (String(repeating: "a", count: 512), 512), ("", 0),
        // One character of twenty thousand bytes.
        ("e" + String(repeating: "\u{301}", count: 10_000), 511),
    ])
    func `a user agent is cut to 512 bytes, between characters of Unicode`(agent: String, bytes: Int) {
        let kept = origin(userAgent: agent).userAgent ?? "none"
        #expect(kept.utf8.count == bytes)
        #expect(agent.utf8.starts(with: kept.utf8))
    }
}

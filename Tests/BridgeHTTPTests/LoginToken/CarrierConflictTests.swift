import HTTPTypes
import HummingbirdTesting
import Testing

/// A token given twice, or by two carriers, is refused, and nothing is consumed (contract §4.2).
@Suite struct CarrierConflictTests {
    enum Twice: String, CaseIterable, Sendable {
        case query, queryAndHeader, header, queryAndBody, body, bodyAndHeader, verifier
    }

    @Test(arguments: Twice.allCases)
    func `two readings are none`(twice: Twice) async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let text = token.token
            let carrier = HTTPField(name: .name("Drawbridge-Login-Token"), value: text)
            var twoHeaders = Visitor.navigation(more: [carrier.name: text])
            twoHeaders.append(carrier)
            let answer =
                switch twice {
                case .query: try await client.redeem(text, more: "&token=\(text)")
                case .queryAndHeader:
                    try await client.redeem(text, Visitor.navigation(more: [carrier.name: text]))
                case .header: try await client.send(.get, "/login-with-token", twoHeaders)
                case .queryAndBody:
                    try await client.post([("token", text)], [:], to: "/login-with-token?token=\(text)")
                case .body: try await client.post([("token", text), ("token", text)], [:])
                case .bodyAndHeader: try await client.post([("token", text)], [carrier.name: text])
                case .verifier: try await client.redeem(text, more: "&code_verifier=a&code_verifier=b")
                }
            #expect(answer.status == .badRequest)
            #expect(answer.headers[values: .setCookie].isEmpty)
            #expect(try await client.redeem(text).status == .seeOther)
        }
    }
}

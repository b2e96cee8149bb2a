import Bridge
import HTTPTypes
import HummingbirdTesting
import SQLStorage
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

    static let unsure: [HTTPFields] = [
        [:], Visitor.navigation(more: [.name("Sec-Purpose"): "prefetch"]), Visitor.navigation(site: "cross-site"),
    ]

    @Test(arguments: unsure)
    func `a visit that consumes nothing gets the page, whose form is refused as two`(headers: HTTPFields) async throws {
        try await TestBridge.run { bridge, client in
            func refusals() async throws -> [String?] {
                try await bridge.storage.search(AuditFilter(type: .loginTokenRefused), before: nil, limit: 9)
                    .records.map(\.event.reason)
            }
            let token = try await client.issue()
            let page = try await client.redeem(token.token, headers, more: "&token=\(token.token)")
            #expect(page.status == .ok && page.text.contains("<form id=\"confirm\""))
            #expect(!page.text.contains(token.token))
            #expect(try await refusals() == [])
            let answer = try await client.post(page.fields, [.cookie: page.cookieHeader])
            #expect(answer.status == .badRequest)
            #expect(try await refusals() == ["conflicting_tokens"])
            #expect(try await client.redeem(token.token).status == .seeOther)
        }
    }
}

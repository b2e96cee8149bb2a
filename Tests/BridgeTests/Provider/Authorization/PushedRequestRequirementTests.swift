import OAuth2
import Testing

@testable import Bridge

/// RFC 9126 §6, docs/rules/authorization-request.md A4.
@Suite struct PushedRequestRequirementTests {
    private func reader() throws -> AuthorizationRequestReader {
        try AuthorizationFixture.reader([AuthorizationFixture.native { $0.requiresPushedRequests = true }])
    }

    @Test func `a plain request of a client that must push is refused to its redirect URI`() throws {
        let reading = try reader().read(AuthorizationFixture.form())
        guard case .failure(.redirect(let answer, let code, _)) = reading else {
            Issue.record("not a redirect error: \(reading)")
            return
        }
        #expect(code == .invalidRequest && answer.redirectURI == AuthorizationFixture.privateUse)
        #expect(answer.state == "s-1")
    }

    @Test func `the same request pushed is good`() throws {
        let form = try AuthorizationFixture.form()
        let request = try reader().read(form, pushed: .found(form)).get()
        #expect(request.client.id == "native")
    }
}

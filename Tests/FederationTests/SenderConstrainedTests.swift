import Bridge
import Federation
import Testing

@Suite struct SenderConstrainedTests {
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    @Test func `a foreign token that is bound to a key names the key (RFC 7800, RFC 9449 §6.1)`() async throws {
        let token = TestToken.hmac(TestToken.claims(["cnf": ["jkt": Self.thumbprint]]))
        let identity = try await issuers(hmacSettings()).authenticate(token)
        #expect(identity.proofKeyThumbprint == Self.thumbprint)
    }

    @Test(
        arguments: [
            ["jkt": "short"], ["jkt": 7], ["x5t#S256": thumbprint], ["jkt": thumbprint, "x5t#S256": thumbprint],
            ["jwk": ["kty": "EC"]], [:],
        ] as [[String: any Sendable]])
    func `bound in a way that cannot be checked here it is refused`(confirmation: [String: any Sendable]) async throws {
        let token = TestToken.hmac(TestToken.claims(["cnf": confirmation]))
        await (try issuers(hmacSettings())).expect(.senderConstrained, of: token)
    }

    @Test func `a token without one is anybody's`() async throws {
        #expect(try await issuers(hmacSettings()).authenticate(TestToken.hmac()).proofKeyThumbprint == nil)
    }
}

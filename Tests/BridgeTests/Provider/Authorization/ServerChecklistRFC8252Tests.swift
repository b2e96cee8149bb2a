import Bridge
import OAuth2
import Testing

/// RFC 8252, appendix A: what a server must do for native apps, point by point.
@Suite struct ServerChecklistRFC8252Tests {
    private func reads(_ redirect: String) throws -> RedirectURI.Kind {
        try AuthorizationFixture.request(["redirect_uri": redirect]).redirectKind
    }

    @Test func `1. private-use URI scheme redirects are supported`() throws {
        #expect(try reads(AuthorizationFixture.privateUse) == .privateUse)
    }

    @Test func `2. https scheme redirects are supported for native apps`() throws {
        #expect(try reads(AuthorizationFixture.https) == .https)
    }

    @Test(arguments: ["http://127.0.0.1/callback", "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback"])
    func `3. loopback redirects are supported, on any port`(redirect: String) throws {
        #expect(try reads(redirect) == .loopback)
    }

    @Test func `4. native clients are public, and prove nothing by a secret`() throws {
        #expect(try AuthorizationFixture.native().isPublic)
        let document = #"{"client_id":"a","client_type":"native","token_endpoint_auth_method":"client_secret_basic"}"#
        #expect(throws: ClientDocumentError.self) { try clientDocument(document) }
    }

    @Test func `5. PKCE is supported and required of native clients`() throws {
        let plain = try AuthorizationFixture.form(["code_challenge": nil, "code_challenge_method": nil])
        guard case .failure(.redirect(_, let code, let text)) = try AuthorizationFixture.reader().read(plain) else {
            Issue.record("a request without PKCE passed")
            return
        }
        #expect(code == .invalidRequest && text == "code challenge required")
        #expect(try AuthorizationFixture.request().codeChallenge != nil)
        let document = #"{"client_id":"a","client_type":"native","require_pkce":false}"#
        #expect(throws: ClientDocumentError.self) { try clientDocument(document) }
    }
}

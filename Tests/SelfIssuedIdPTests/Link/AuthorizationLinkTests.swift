import Testing

@testable import SelfIssuedIdP

@Suite struct AuthorizationLinkTests {
    private static let tail = "&state=a_f2fkEx&nonce=4f8921ce98f89"

    @Test(arguments: [
        "openid://authz?request_uri=https://example.com/rp/rpf.json",
        "openid://authz?request_uri=https%3A%2F%2Fexample.com%2Frp%2Frpf.json",
        "OPENID://authz?request_uri=https://example.com/rp/rpf.json",
        "openid://?request_uri=https://example.com/rp/rpf.json",
        "openid:?request_uri=https://example.com/rp/rpf.json",
        "siopv2://?request_uri=https://example.com/rp/rpf.json",
        "https://sso.example.com/self-issued/open?request_uri=https%3A%2F%2Fexample.com%2Frp%2Frpf.json",
    ])
    func `every spelling of a link names the same file`(_ head: String) throws {
        let link = try AuthorizationLink(head + Self.tail)
        #expect(link.requestAddress?.text == "https://example.com/rp/rpf.json")
        #expect(link.parameters["state"] == "a_f2fkEx")
        #expect(link.parameters["nonce"] == "4f8921ce98f89")
    }

    @Test func `a file's own query stays with it, escaped or not`() throws {
        let plain = try AuthorizationLink("openid://authz?request_uri=https://example.com/f?site=a&nonce=12345678")
        let escaped = try AuthorizationLink(
            "openid://authz?request_uri=https%3A%2F%2Fexample.com%2Ff%3Fsite%3Da%26b%3Dc&nonce=12345678")
        #expect(plain.requestAddress?.target == "/f?site=a")
        #expect(escaped.requestAddress?.target == "/f?site=a&b=c")
    }

    @Test(arguments: [
        ("https://example.com/login?request_uri=https://example.com/f", PhoneRefusal.Reason.linkUnknown),
        ("mailto:?request_uri=https://example.com/f", .linkUnknown),
        ("openid://evil?request_uri=https://example.com/f", .linkUnknown),
        ("openid://authz@evil?request_uri=https://example.com/f", .linkUnknown),
        ("openid://authz", .linkUnknown),
        ("", .linkUnknown),
        ("openid://authz?request_uri=https://example.com/f#x", .linkMalformed),
        ("openid://authz?request_uri=https://example.com/%2", .linkMalformed),
        ("openid://authz?request_uri=https://example.com/%ff", .linkMalformed),
        ("openid://authz?request_uri=https://example.com/ü", .linkMalformed),
        ("openid://authz?request_uri=https://example.com/a b", .linkMalformed),
        ("openid://authz?nonce=12345678&nonce=12345678", .parameterRepeated),
        ("openid://authz?state=x&nonce=12345678", .parameterMissing),
        ("openid://authz?client_id=https://example.com/&nonce=12345678", .parameterMissing),
        ("openid://authz?request=eyJ&response_type=id_token&client_id=x", .requestByValueUnsupported),
        ("openid://authz?request_uri=http://example.com/f", .requestURIInvalid),
        ("openid://authz?request_uri=https://user@example.com/f", .requestURIInvalid),
        ("openid://authz?request_uri=https://example.com/f%23x", .requestURIInvalid),
        ("openid://authz?request_uri=https://example.com%5C@evil.example/f", .requestURIInvalid),
        ("openid://authz?request_uri=file:///etc/passwd", .requestURIInvalid),
        ("openid://authz?request_uri=", .requestURIInvalid),
        ("openid://authz?request_uri=https://example.com/" + String(repeating: "a", count: 8192), .linkTooLong),
    ])
    func `a bad link is refused by name`(_ link: String, _ reason: PhoneRefusal.Reason) {
        let refusal = #expect(throws: PhoneRefusal.self) { try AuthorizationLink(link) }
        #expect(refusal?.reason == reason)
        #expect(refusal?.reason.stage == .link)
    }
}

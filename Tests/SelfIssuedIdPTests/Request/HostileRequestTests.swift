import Foundation
import Testing

@testable import SelfIssuedIdP

/// What a website, or whoever wrote the link, may not ask. Nothing is asked of the person, and nothing is sent.
@Suite struct HostileRequestTests {
    private static func file(_ changes: [String: JSONValue]) -> [String: JSONValue] {
        FakeWebsite.fileOf2012.merging(changes) { $1 }.filter { $0.value != .null }
    }

    private func expectRefused(_ phone: Phone, _ link: String, _ reason: PhoneRefusal.Reason) async {
        #expect(await phone.refusal(of: link) == reason)
        #expect(phone.consent.asked.isEmpty, "nobody is bothered")
        #expect(phone.website.posts.isEmpty, "nothing is sent")
    }

    @Test(
        arguments: [
            (["client_id": "http://example.com/"], PhoneRefusal.Reason.clientIDInvalid),
            (["client_id": "https://example.com/#f"], .clientIDInvalid), (["client_id": 7], .requestMalformed),
            (["client_id": .null], .clientIDInvalid),
            (["client_id": "https://bank.example/"], .certificateNameMismatch),
            (["redirect_uri": "https://evil.example/cb"], .returnURIForeign),
            (["redirect_uri": "https://example.com/elsewhere"], .returnURIForeign),
            (["redirect_uri": "https://evil.example/", "registration": .null], .returnURIForeign),
            (["redirect_uri": "https://example.com:444/", "registration": .null], .returnURIForeign),
            (["redirect_uri": "https://example.com/#x", "registration": .null], .returnURIInvalid),
            (["redirect_uri": "http://example.com/", "registration": .null], .returnURIInvalid),
            (["redirect_uri": "https://example.com@evil.example/", "registration": .null], .returnURIInvalid),
            (["registration": .null], .returnURIMissing),
            (
                ["registration": ["redirect_uris": ["https://example.com/a", "https://example.com/b"]]],
                .returnURIMissing
            ),
            (["registration": ["claims": ["redirect_uris": "httsp://example.com/cb"]]], .returnURIInvalid),
            (["response_type": "code"], .responseTypeUnsupported),
            (["response_type": "token"], .responseTypeUnsupported),
            (["response_type": "code id_token"], .responseTypeUnsupported),
            (["response_type": .null], .responseTypeUnsupported),
            (["scope": "profile"], .scopeInvalid), (["scope": .null], .scopeInvalid),
            (["nonce": "anothernonce"], .parameterConflict), (["state": "another"], .parameterConflict),
            (["response_mode": "query"], .responseModeUnsupported),
            (["response_mode": "form_post"], .responseModeUnsupported),
            (["response_mode": "direct_post", "response_uri": "https://evil.example/post"], .returnURIForeign),
            (["response_mode": "direct_post", "response_uri": "http://example.com/post"], .returnURIInvalid),
            (["client_metadata": ["subject_syntax_types_supported": ["did:key"]]], .subjectTypeUnsupported),
            (["client_metadata": ["id_token_signed_response_alg": "HS256"]], .algorithmUnsupported),
            (["client_metadata": ["id_token_signed_response_alg": "none"]], .algorithmUnsupported),
            (["userinfo": "email"], .requestMalformed), (["scope": ["openid"]], .requestMalformed),
        ] as [([String: JSONValue], PhoneRefusal.Reason)])
    func `a request that is not in order is refused by name`(
        _ changes: [String: JSONValue], _ reason: PhoneRefusal.Reason
    ) async {
        await expectRefused(Phone(website: FakeWebsite(Self.file(changes))), FakeWebsite.link, reason)
    }

    @Test(arguments: [
        ("", PhoneRefusal.Reason.nonceMissing), ("&nonce=", .nonceMissing), ("&nonce=1234567", .nonceLength),
        ("&nonce=" + String(repeating: "n", count: 257), .nonceLength),
        ("&nonce=12345678&state=" + String(repeating: "s", count: 1025), .stateTooLong),
        ("&nonce=12345678&client_id=https://other.example/", .parameterConflict),
        ("&nonce=12345678&response_mode=query", .responseModeUnsupported),
    ])
    func `a link without what makes an answer fresh is refused by name`(
        _ tail: String, _ reason: PhoneRefusal.Reason
    ) async {
        await expectRefused(Phone(), "openid://authz?request_uri=\(FakeWebsite.file)\(tail)", reason)
    }

    @Test(arguments: ["direct_post", "post"])
    func `attack: a changed link has the answer posted, to sign its sender in where no website offered that`(
        _ mode: String
    ) async {
        await expectRefused(Phone(), FakeWebsite.link + "&response_mode=\(mode)", .responseModeUnsupported)
    }

    @Test(arguments: [
        (302, PhoneRefusal.Reason.redirected), (307, .redirected), (404, .statusUnexpected), (204, .statusUnexpected),
        (500, .statusUnexpected),
    ])
    func `a file that is not there is refused by name`(_ status: Int, _ reason: PhoneRefusal.Reason) async {
        let website = FakeWebsite()
        website.serve(JSONValue.object(FakeWebsite.fileOf2012).text, at: FakeWebsite.file, status: status)
        await expectRefused(Phone(website: website), FakeWebsite.link, reason)
    }

    @Test(arguments: [
        "", "[]", "null", "{", "not json", "a.b.c",
        String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        #"{"registration":"# + String(repeating: #"{"a":"#, count: 20) + "1" + String(repeating: "}", count: 21),
    ])
    func `a file that is no request is refused by name`(_ text: String) async {
        let website = FakeWebsite()
        website.serve(text, at: FakeWebsite.file)
        await expectRefused(Phone(website: website), FakeWebsite.link, .requestMalformed)
    }

    @Test(arguments: [
        #""client_name":"Bank","client_name":"Sample""#, #""client_name":"Bank","client\u005fname":"Sample""#,
        #""claims":{"a":{"b":1,"b":2}}"#, #""contacts":[{},{"a\"":1,"c":[{"d":","}],"a\u0022":1}]"#,
    ])
    func `attack: a file that names a member twice shows the owner one request and the website another`(
        _ repeated: String
    ) async {
        let tail = ",\"registration\":{\"redirect_uris\":[\"https://example.com/cb\"],\(repeated)}}"
        let text = String(JSONValue.object(Self.file(["registration": .null])).text.dropLast()) + tail
        func token(_ header: String, _ claims: String) -> String {
            "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))."
        }
        let whole = JSONValue.object(FakeWebsite.fileOf2012).text
        let tokens = [token(#"{"alg":"none"}"#, text), token(#"{"alg":"none","alg":"none"}"#, whole)]
        for file in [text] + tokens {
            let website = FakeWebsite()
            website.serve(file, at: FakeWebsite.file)
            await expectRefused(Phone(website: website), FakeWebsite.link, .requestMalformed)
        }
    }

    @Test func `a name that is there in two objects, or as a value, is no repeated one`() throws {
        let text = #"{"a":{"a":"a","b":["a","a",{"a":"}"}]},"b":"a\\","c":{},"d":[],"e":"\"a\":1,\"a\":2"}"#
        #expect(JSONValue(json: Array(text.utf8)) != nil)
        let wide = #"{"a":1,"∢":2}"#
        #expect(JSONValue(json: Array(wide.utf8))?["∢"] == .integer(2))
        for encoding in [String.Encoding.utf16, .utf16BigEndian] {
            let data = try #require(wide.data(using: encoding))
            #expect(JSONValue(json: data) == nil)
        }
    }

    @Test func `a huge file is refused by name`() async {
        let website = FakeWebsite()
        website.serve(String(repeating: " ", count: 65_537), at: FakeWebsite.file)
        await expectRefused(Phone(website: website), FakeWebsite.link, .tooLarge)
    }

    @Test func `who asks for more than 32 things at once is refused, and nobody is asked`() async throws {
        func phone(askedFor count: Int) -> Phone {
            let names = (0..<count).map { ("claim\($0)", JSONValue.null) }
            let claims = JSONValue.object(Dictionary(uniqueKeysWithValues: names))
            return Phone(website: FakeWebsite(Self.file(["userinfo": ["claims": claims]])))
        }
        let most = phone(askedFor: 32)
        #expect(await most.refusal() == nil)
        let question = try #require(most.consent.asked.first)
        #expect(question.request.claims.count == 32)
        await expectRefused(phone(askedFor: 33), FakeWebsite.link, .requestMalformed)
    }

    @Test func `another website's file does not ask in this one's name`() async {
        let website = FakeWebsite()
        website.serve(
            JSONValue.object(FakeWebsite.fileOf2012).text, at: "https://evil.example/rpf.json", names: ["evil.example"])
        await expectRefused(
            Phone(website: website), "openid://authz?request_uri=https://evil.example/rpf.json&nonce=12345678",
            .certificateNameMismatch)
    }

    @Test func `one certificate for two names serves both`() async throws {
        let website = FakeWebsite()
        website.serve(
            JSONValue.object(FakeWebsite.fileOf2012).text, at: "https://static.example/rpf.json",
            names: ["static.example", "example.com"])
        let outcome = try await Phone(website: website).handle(
            "openid://authz?request_uri=https://static.example/rpf.json&nonce=12345678")
        #expect(outcome.website.host == "example.com")
    }

    /// Of a request that is in the link anybody may be the author.
    private static func byValue(_ tail: String) -> String {
        "openid://?client_id=https://example.com/cb&scope=openid&nonce=4f8921ce98f89&response_type=" + tail
    }

    @Test(arguments: [
        "id_token&redirect_uri=https://example.com/go?to=evil",
        #"id_token&redirect_uri=https://example.com/go&client_metadata={"subject_syntax_types_supported":["#
            + #""urn:ietf:params:oauth:jwk-thumbprint"]}"#,
        #"id_token&client_metadata={"redirect_uris":["https://example.com/go"]}"#,
        #"id_token&redirect_uri=https://example.com/cb&client_metadata={"redirect_uris":["https://example.com/cb","#
            + #""https://example.com/go"]}"#,
        #"id_token&registration={"claims":{"redirect_uris":"https://example.com/go"}}"#,
        "token%20id_token%20userinfo&redirect_uri=https://example.com/go",
        #"token%20id_token%20userinfo&registration={"redirect_uris":["https://example.com/go"]}"#,
        "id_token&redirect_uri=https://example.com/cb/", "id_token&redirect_uri=https://example.com/cb?",
        "id_token&redirect_uri=https://example.com:443/cb", "id_token&redirect_uri=https://EXAMPLE.com/cb",
        "id_token&redirect_uri=", "id_token&redirect_uri=https://evil.example/cb",
        "id_token&response_mode=direct_post&response_uri=https://example.com/log",
        "id_token&response_mode=post&response_uri=https://example.com/cb/",
    ])
    func `attack: who wrote a link with the request in it has the answer opened on a page of their choice`(
        _ tail: String
    ) async {
        await expectRefused(Phone(), Self.byValue(tail), .returnURIForeign)
    }

    @Test func `attack: a link that is scanned names where its answer is posted`() async {
        var options = SelfIssuedProvider.Options()
        options.isFromOtherDevice = true
        let phone = Phone()
        phone.website.serve("{}", at: "https://example.com/log")
        let link = Self.byValue("id_token&response_uri=https://example.com/log")
        #expect(await phone.refusal(of: link, options) == .returnURIForeign)
        #expect(phone.website.posts.isEmpty)
    }

    @Test func `a link that changes where the answer goes is refused`() async {
        let tail = "&redirect_uri=https://example.com/open-redirect"
        let file = Self.file(["redirect_uri": "https://example.com/rp/authz/callback.php"])
        await expectRefused(Phone(website: FakeWebsite(file)), FakeWebsite.link + tail, .parameterConflict)
    }

    @Test func `the link's return address does not count where the file names its own`() async throws {
        let outcome = try await Phone().handle(FakeWebsite.link + "&redirect_uri=https://evil.example/")
        #expect(outcome.open?.expose().hasPrefix("https://example.com/rp/authz/callback.php#") == true)
    }
}

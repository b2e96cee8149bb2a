import Crypto
import Foundation
import Testing

@testable import SelfIssuedIdP

/// What is sent, form by form.
@Suite struct AnswerTests {
    private static let coreLink =
        "openid://?response_type=id_token&client_id=https://example.com/cb&scope=openid&state=s1&nonce=4f8921ce98f89"
    private static let v2Link =
        "siopv2://?response_type=id_token&client_id=https%3A%2F%2Fexample.com%2Fcb&redirect_uri=https://example.com/cb"
        + "&scope=openid&state=s1&nonce=4f8921ce98f89"
        + #"&client_metadata={"subject_syntax_types_supported":["urn:ietf:params:oauth:jwk-thumbprint"]}"#

    /// A file whose website has every answer posted to its return address.
    private static let posting = FakeWebsite.fileOf2012.merging(["response_mode": "direct_post"]) { $1 }

    private func verified(_ jws: CompactJWS, by jwk: JSONValue) throws -> JSONValue {
        let key = try #require(PublicKey(jwk: jwk))
        #expect(jws.isSigned(by: key))
        return jws.claims
    }

    @Test(arguments: KeyAlgorithm.allCases)
    func `the form of 2012 names the key in iss and user_id`(_ algorithm: KeyAlgorithm) async throws {
        var options = SelfIssuedProvider.Options()
        options.algorithm = algorithm
        let outcome = try await Phone().handle(FakeWebsite.link, options)
        #expect(outcome.open?.expose().hasPrefix("https://example.com/rp/authz/callback.php#access_token=") == true)
        let answer = outcome.answer
        #expect(
            Set(answer.keys) == ["access_token", "token_type", "expires_in", "id_token", "userinfo_token", "state"])
        #expect(answer["state"] == "a_f2fkEx")
        let token = try #require(outcome.token())
        let jwk = try #require(token.claims["iss"]?.string).jwk
        let claims = try verified(token, by: jwk)
        #expect(claims["user_id"] == claims["iss"])
        #expect(claims["sub"]?.string == outcome.thumbprint)
        #expect(claims["aud"] == "https://example.com/")
        #expect(claims["nonce"] == "4f8921ce98f89")
        #expect(claims["iat"] == .integer(Phone.now))
        #expect(claims["exp"] == .integer(Phone.now + 300))
        let hash = SHA256.hash(data: Data((answer["access_token"] ?? "").utf8)).prefix(16)
        #expect(claims["at_hash"]?.string == Base64URL.encode(hash))
        let told = try verified(#require(outcome.token("userinfo_token")), by: jwk)
        #expect(told["iss"] == claims["iss"])
        #expect(told["aud"] == "https://example.com/")
        #expect(told["nonce"] == "4f8921ce98f89")
    }

    @Test func `the form of Core names self-issued.me and the thumbprint`() async throws {
        let outcome = try await Phone().handle(Self.coreLink)
        #expect(Set(outcome.answer.keys) == ["id_token", "state"])
        let token = try #require(outcome.token())
        let claims = try verified(token, by: #require(token.claims["sub_jwk"]))
        #expect(claims["iss"] == "https://self-issued.me")
        #expect(claims["sub"]?.string == outcome.thumbprint)
        #expect(claims["aud"] == "https://example.com/cb")
    }

    @Test func `the form of SIOPv2 is its own issuer`() async throws {
        let phone = Phone()
        let outcome = try await phone.handle(Self.v2Link)
        let token = try #require(outcome.token())
        let claims = try verified(token, by: #require(token.claims["sub_jwk"]))
        #expect(claims["iss"]?.string == "urn:ietf:params:oauth:jwk-thumbprint:sha-256:\(outcome.thumbprint ?? "")")
        #expect(claims["sub"] == claims["iss"])
        #expect(claims["aud"] == "https://example.com/cb")
        #expect(phone.consent.asked.first?.request.proof == .returnAddressAlone)
    }

    @Test(arguments: ["", "&redirect_uri=https://example.com/cb"])
    func `a link of 2012 that holds the request is answered at its client_id`(_ tail: String) async throws {
        let link = Self.coreLink.replacing("=id_token", with: "=token%20id_token%20userinfo") + tail
        let outcome = try await Phone().handle(link)
        #expect(outcome.open?.expose().hasPrefix("https://example.com/cb#access_token=") == true)
        #expect(outcome.token()?.claims["aud"] == "https://example.com/cb")
        #expect(outcome.token("userinfo_token")?.claims["aud"] == "https://example.com/cb")
    }

    @Test(arguments: ["", "&response_uri=https://example.com/cb"])
    func `a link that holds the request has its answer posted to its client_id`(_ tail: String) async throws {
        let website = FakeWebsite()
        website.serve("{}", at: "https://example.com/cb")
        _ = try await Phone(website: website).handle(Self.coreLink + "&response_mode=direct_post" + tail)
        #expect(website.posts.count == 1)
    }

    @Test func `one website knows the same person in every form, another website another`() async throws {
        let phone = Phone()
        let known = try await phone.handle().thumbprint
        #expect(try await phone.handle(Self.coreLink).thumbprint == known)
        #expect(try await phone.handle(Self.v2Link).thumbprint == known)
        #expect(phone.consent.asked.map(\.isFirstTime) == [true, false, false])
        let other = try await phone.handle(Self.coreLink.replacing("example.com", with: "other.example"))
        #expect(other.thumbprint != known)
    }

    @Test func `an audience is in every token, so that no website can use what another got`() async throws {
        for form in AnswerForm.allCases {
            var options = SelfIssuedProvider.Options()
            options.form = form
            let outcome = try await Phone().handle(FakeWebsite.link, options)
            for name in ["id_token", "userinfo_token"] where outcome.answer[name] != nil {
                #expect(outcome.token(name)?.claims["aud"]?.string?.hasPrefix("https://example.com/") == true)
            }
        }
    }

    @Test(arguments: [(coreLink, "access_denied"), (v2Link, "user_cancelled"), (FakeWebsite.link, "access_denied")])
    func `who declines tells that alone`(_ link: String, _ error: String) async throws {
        let store = KeysInMemory()
        let outcome = try await Phone(store: store, consent: .no).handle(link)
        #expect(outcome.isDeclined)
        #expect(outcome.answer["error"] == error)
        #expect(Set(outcome.answer.keys) == ["error", "state"])
        #expect(await !store.holds(outcome.website), "no key is made")
    }

    @Test func `from another device the answer is posted`() async throws {
        let file = FakeWebsite.fileOf2012.merging(["response_uri": "https://example.com/self-issued/post"]) { $1 }
        let website = FakeWebsite(file)
        website.serve(#"{"redirect_uri":"https://example.com/done"}"#, at: "https://example.com/self-issued/post")
        var options = SelfIssuedProvider.Options()
        options.isFromOtherDevice = true
        let phone = Phone(website: website)
        let outcome = try await phone.handle(FakeWebsite.link, options)
        #expect(outcome.open?.expose() == "https://example.com/done")
        #expect(website.posts.count == 1)
        #expect(website.posts.first?.contains("&state=a_f2fkEx") == true)
        #expect(phone.consent.asked.first?.isFromOtherDevice == true)
    }

    @Test func `a link that has the answer posted is another screen's, whoever hands it over`() async throws {
        let address = "https://example.com/self-issued/post"
        let website = FakeWebsite(FakeWebsite.fileOf2012.merging(["response_uri": .string(address)]) { $1 })
        website.serve("{}", at: address)
        for mode in ["direct_post", "post"] {
            let phone = Phone(website: website)
            _ = try await phone.handle(FakeWebsite.link + "&response_mode=\(mode)")
            #expect(phone.consent.asked.map(\.isFromOtherDevice) == [true])
        }
        let phone = Phone()
        _ = try await phone.handle()
        #expect(phone.consent.asked.map(\.isFromOtherDevice) == [false])
    }

    @Test func `a website that takes no posts is answered on its own device alone`() async {
        var options = SelfIssuedProvider.Options()
        options.isFromOtherDevice = true
        #expect(await Phone().refusal(of: FakeWebsite.link, options) == .responseModeUnsupported)
    }

    @Test(arguments: [
        (302, "", PhoneRefusal.Reason.redirected), (400, #"{"error":"state_unknown"}"#, .statusUnexpected),
    ])
    func `a post that is not taken is an error`(_ status: Int, _ body: String, _ reason: PhoneRefusal.Reason) async {
        let website = FakeWebsite(Self.posting)
        website.serve(body, at: "https://example.com/rp/authz/callback.php", status: status)
        #expect(await Phone(website: website).refusal() == reason)
    }

    @Test func `a no stays a no where the website answers it with an error, unless it failed`() async throws {
        let website = FakeWebsite(Self.posting)
        let phone = Phone(website: website, consent: .no)
        website.serve(#"{"error":"op_error"}"#, at: "https://example.com/rp/authz/callback.php", status: 400)
        let outcome = try await phone.handle()
        #expect(outcome.isDeclined)
        #expect(website.posts == ["error=access_denied&state=a_f2fkEx"])
        website.serve("", at: "https://example.com/rp/authz/callback.php", status: 503)
        #expect(await phone.refusal() == .statusUnexpected)
    }

    @Test func `where to go next is on the same website, or nowhere`() async throws {
        let website = FakeWebsite(Self.posting)
        website.serve(
            #"{"redirect_uri":"https://evil.example/"}"#, at: "https://example.com/rp/authz/callback.php")
        #expect(try await Phone(website: website).handle().open == nil)
    }

    @Test func `a website that knows a key of one kind is not given another`() async throws {
        let phone = Phone()
        _ = try await phone.handle()
        var options = SelfIssuedProvider.Options()
        options.algorithm = .rs256
        #expect(await phone.refusal(of: FakeWebsite.link, options) == .algorithmUnsupported)
    }

    private static func asking(for algorithm: String) -> FakeWebsite {
        let registration: JSONValue = [
            "redirect_uris": ["https://example.com/cb"], "id_token_signed_response_alg": .string(algorithm),
        ]
        return FakeWebsite(FakeWebsite.fileOf2012.merging(["registration": registration]) { $1 })
    }

    @Test func `the kind that its owner chose against the website's wish signs there the next time too`() async throws {
        let phone = Phone(website: Self.asking(for: "ES256"))
        var options = SelfIssuedProvider.Options()
        options.algorithm = .rs256
        let first = try await phone.handle(FakeWebsite.link, options)
        let next = try await phone.handle()
        #expect(next.thumbprint == first.thumbprint)
        #expect(next.token()?.header["alg"] == "RS256")
    }

    @Test func `a website that wishes for another kind than it knows is answered if the owner says so`() async throws {
        var phone = Phone(website: Self.asking(for: "ES256"))
        let first = try await phone.handle()
        phone.website = Self.asking(for: "RS256")
        #expect(await phone.refusal() == .algorithmUnsupported)
        var options = SelfIssuedProvider.Options()
        options.algorithm = .es256
        #expect(try await phone.handle(FakeWebsite.link, options).thumbprint == first.thumbprint)
    }

    @Test func `neither the key nor the answer is in what is printed of them`() async throws {
        let key = try PhoneKey(.es256)
        let secret = Base64URL.encode(key.secret.expose())
        let outcome = try await Phone().handle()
        #expect(!"\(key) \(String(reflecting: key))".contains(secret))
        #expect(!"\(outcome)".contains("id_token"))
        #expect("\(key.secret)" == "<redacted>")
    }
}

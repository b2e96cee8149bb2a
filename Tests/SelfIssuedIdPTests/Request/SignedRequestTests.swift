import Testing

@testable import SelfIssuedIdP

/// Request files that are JWTs (RFC 9101).
@Suite struct SignedRequestTests {
    private let key: PhoneKey
    private let jwks = "https://example.com/jwks.json"

    init() throws { key = try PhoneKey(.es256) }

    private func claims(_ changes: [String: JSONValue] = [:]) -> [String: JSONValue] {
        FakeWebsite.fileOf2012.merging([
            "registration": [
                "jwks_uri": .string(jwks), "redirect_uris": ["https://example.com/rp/authz/callback.php"],
            ]
        ]) { $1 }.merging(changes) { $1 }
    }

    private func website(_ text: String, keys: [JSONValue]) -> FakeWebsite {
        let website = FakeWebsite()
        website.serve(text, at: FakeWebsite.file)
        website.serve(JSONValue.object(["keys": .array(keys)]).text, at: jwks)
        return website
    }

    private func unsigned(_ claims: [String: JSONValue], alg: String, critical: JSONValue? = nil) -> String {
        var header: [String: JSONValue] = ["alg": .string(alg)]
        header["crit"] = critical
        return [JSONValue.object(header), .object(claims)].map { Base64URL.encode($0.text.utf8) }
            .joined(separator: ".") + "."
    }

    @Test func `one signed by the website is answered`() async throws {
        let website = website(try key.sign(claims()), keys: [key.publicKey.members])
        let outcome = try await Phone(website: website).handle()
        #expect(outcome.answer["id_token"] != nil)
        #expect(website.fetches == [FakeWebsite.file, jwks])
    }

    @Test func `one without a signature is as good as raw JSON: TLS says who sent it`() async throws {
        let website = website(unsigned(claims(), alg: "none"), keys: [])
        #expect(try await Phone(website: website).handle().answer["id_token"] != nil)
    }

    @Test func `one signed by somebody else is refused`() async throws {
        let website = website(try PhoneKey(.es256).sign(claims()), keys: [key.publicKey.members])
        #expect(await Phone(website: website).refusal() == .requestSignatureInvalid)
    }

    @Test(arguments: ["HS256", "ES256", "RS256"])
    func `a signature that is missing is refused`(_ alg: String) async {
        let website = website(unsigned(claims(), alg: alg), keys: [key.publicKey.members])
        #expect(await Phone(website: website).refusal() == .requestSignatureInvalid)
    }

    @Test(arguments: [["b64"], ["exp"], []] as [JSONValue])
    func `RFC 7515 §4.1.11: one whose header names something critical is refused`(_ names: JSONValue) async {
        // The same request without `crit` is answered, above.
        let website = website(unsigned(claims(), alg: "none", critical: names), keys: [])
        #expect(await Phone(website: website).refusal() == .requestMalformed)
    }

    @Test(arguments: [(15, nil), (16, .requestSignatureInvalid)] as [(Int, PhoneRefusal.Reason?)])
    func `of a website's keys the first sixteen are tried`(_ before: Int, _ reason: PhoneRefusal.Reason?) async throws {
        let other = try PhoneKey(.es256).publicKey.members
        let keys = Array(repeating: other, count: before) + [key.publicKey.members]
        let website = website(try key.sign(claims()), keys: keys)
        #expect(await Phone(website: website).refusal() == reason)
    }

    @Test func `one that brings its keys along is signed by one of them`() async throws {
        let registration: JSONValue = [
            "jwks": ["keys": [key.publicKey.members]],
            "redirect_uris": ["https://example.com/rp/authz/callback.php"],
        ]
        let request = claims(["registration": registration])
        let own = Phone(website: website(try key.sign(request), keys: []))
        #expect(await own.refusal() == nil)
        let others = Phone(website: website(try PhoneKey(.es256).sign(request), keys: []))
        #expect(await others.refusal() == .requestSignatureInvalid)
    }

    @Test func `keys of another host are not fetched`() async throws {
        let website = website(
            try key.sign(claims(["registration": ["jwks_uri": "https://evil.example/jwks"]])),
            keys: [key.publicKey.members])
        #expect(await Phone(website: website).refusal() == .requestSignatureInvalid)
        #expect(website.fetches == [FakeWebsite.file])
    }

    @Test func `an old one is refused`() async throws {
        let website = website(
            try key.sign(claims(["exp": .integer(Phone.now - 60)])), keys: [key.publicKey.members])
        #expect(await Phone(website: website).refusal() == .requestExpired)
    }

    @Test func `one that expires at the end of all time is answered`() async throws {
        let website = website(try key.sign(claims(["exp": .integer(.max)])), keys: [key.publicKey.members])
        #expect(await Phone(website: website).refusal() == nil)
    }
}

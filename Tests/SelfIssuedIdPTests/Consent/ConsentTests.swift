import Testing

@testable import SelfIssuedIdP

/// What the person is asked, and that nothing else is told.
@Suite struct ConsentTests {
    private let profile: Profile

    init() throws {
        profile = try Profile(
            json: Array(
                #"{"claims":{"email":"alice@example.com","name":"Alice","picture":"https://a.example/p","gender":"f"}}"#
                    .utf8))
    }

    private func statement(_ claims: [String: JSONValue]) throws -> String {
        try PhoneKey(.es256).sign(claims.merging(["iss": "https://registry.example"]) { old, _ in old })
    }

    private func profile(with statement: String) throws -> Profile {
        try Profile(
            json: Array(JSONValue.object(["claims": ["email": "mine"], "statements": [.string(statement)]]).text.utf8))
    }

    @Test func `who asks is shown with what it says of itself on its own host`() async throws {
        let phone = Phone(profile: profile)
        _ = try await phone.handle()
        let question = try #require(phone.consent.asked.first)
        #expect(question.request.website.name == "example.com")
        #expect(question.request.introduction.name == "Sample RP")
        #expect(question.request.introduction.logo?.text == "https://example.com/rp/logo.png")
        #expect(question.request.introduction.policy == nil, "it lies on another host")
        #expect(question.request.introduction.contacts == [])
        #expect(question.isFirstTime)
        #expect(question.request.proof == .certificate)
    }

    @Test(
        arguments: [
            ("a@example.com b@example.com", ["a@example.com", "b@example.com"]),
            (["a@example.com", "https://example.com/help"], ["a@example.com", "https://example.com/help"]), (7, []),
        ] as [(JSONValue, [String])])
    func `whom to ask about a website is shown, written as a text or a list`(
        _ contacts: JSONValue, _ shown: [String]
    ) async throws {
        let association: JSONValue = [
            "claims": [
                "application_name": "Sample RP", "contacts": contacts,
                "redirect_uris": "https://example.com/rp/authz/callback.php",
            ]
        ]
        let file = FakeWebsite.fileOf2012.merging(["registration": association]) { $1 }
        let phone = Phone(website: FakeWebsite(file), profile: profile)
        _ = try await phone.handle()
        #expect(try #require(phone.consent.asked.first).request.introduction.contacts == shown)
    }

    @Test func `what is optional is not ticked, and what was not asked is not offered`() async throws {
        let phone = Phone(profile: profile)
        let outcome = try await phone.handle()
        let offers = try #require(phone.consent.asked.first).offers
        #expect(offers.map(\.names) == [["email"], ["name"], ["picture"]])
        #expect(offers.map(\.isTicked) == [true, true, false])
        let told = try #require(outcome.token("userinfo_token")).claims
        #expect(told["email"] == "alice@example.com")
        #expect(told["name"] == "Alice")
        #expect(told["picture"] == nil)
        #expect(told["gender"] == nil)
    }

    @Test func `what the person takes off is not told`() async throws {
        let phone = Phone(consent: Decided { _ in .granted([2]) }, profile: profile)
        let told = try #require(try await phone.handle().token("userinfo_token")).claims
        #expect(told["email"] == nil)
        #expect(told["name"] == "Alice")
    }

    @Test func `a scope alone ticks nothing`() async throws {
        let file = FakeWebsite.fileOf2012.merging(["userinfo": .null, "scope": "openid email"]) { $1 }
        let phone = Phone(website: FakeWebsite(file), profile: profile)
        let outcome = try await phone.handle()
        #expect(phone.consent.asked.first?.offers.map(\.isTicked) == [false])
        #expect(outcome.token("userinfo_token")?.claims["email"] == nil)
    }

    @Test func `OpenID Connect Core §5.5.1: what a website does not call essential is not ticked`() async throws {
        let claims: JSONValue = [
            "id_token": ["email": .null, "name": ["essential": true]], "userinfo": ["picture": ["essential": false]],
        ]
        let file = FakeWebsite.fileOf2012.merging(["userinfo": .null, "scope": "openid", "claims": claims]) { $1 }
        let phone = Phone(website: FakeWebsite(file), profile: profile)
        _ = try await phone.handle()
        let offers = try #require(phone.consent.asked.first).offers
        #expect(offers.map(\.names) == [["email"], ["name"], ["picture"]])
        #expect(offers.map(\.isTicked) == [false, true, false])
    }

    @Test func `what a link asks that anybody may have written is offered, and nothing of it is ticked`() async throws {
        let link =
            "openid://?response_type=id_token&client_id=https://example.com/cb&scope=openid&nonce=4f8921ce98f89"
            + #"&claims={"id_token":{"email":{"essential":true},"name":{"essential":true}}}"#
        let said = JSONValue.string(try statement(["email": "alice@registry.example"]))
        let mine = JSONValue.object(["claims": ["name": "Alice"], "statements": .array([said])])
        let phone = Phone(profile: try Profile(json: Array(mine.text.utf8)))
        let told = try #require(try await phone.handle(link).token()).claims
        let offers = try #require(phone.consent.asked.first).offers
        #expect(offers.map(\.names) == [["email"], ["name"]])
        #expect(offers.map(\.isTicked) == [false, false])
        #expect(told["name"] == nil && told["_claim_sources"] == nil)
    }

    @Test func `what is missing is named`() async throws {
        let phone = Phone()
        _ = try await phone.handle()
        #expect(phone.consent.asked.first?.missing.map(\.name) == ["email", "name", "picture"])
    }

    @Test(arguments: ["iss", "sub", "aud", "nonce", "user_id", "sub_jwk", "_claim_names", "at_hash", "exp"])
    func `a claim cannot be named like a part of the token`(_ name: String) async throws {
        #expect(throws: PhoneRefusal.self) { try Profile(json: Array(#"{"claims":{"\#(name)":"x"}}"#.utf8)) }
        let file = FakeWebsite.fileOf2012.merging(["userinfo": ["claims": [name: .null]]]) { $1 }
        let phone = Phone(website: FakeWebsite(file))
        _ = try await phone.handle()
        #expect(phone.consent.asked.first?.missing.isEmpty == true)
    }

    @Test func `a statement of somebody else is handed on whole, before the own word`() async throws {
        let text = try statement(["email": "alice@registry.example"])
        let outcome = try await Phone(profile: profile(with: text)).handle()
        let told = try #require(outcome.token("userinfo_token")).claims
        #expect(told["email"] == nil)
        #expect(told["_claim_names"] == ["email": "src1"])
        #expect(told["_claim_sources"] == ["src1": ["JWT": .string(text)]])
    }

    @Test(
        arguments: [
            ["email": "a", "birthdate": "1970-01-01"], ["email": "a", "sub": "248289761001"],
        ] as [[String: JSONValue]])
    func `a statement that says more than was asked is not ticked`(_ claims: [String: JSONValue]) async throws {
        let phone = Phone(profile: try profile(with: statement(claims)))
        let outcome = try await phone.handle()
        #expect(phone.consent.asked.first?.offers.map(\.isTicked) == [false])
        #expect(outcome.token("userinfo_token")?.claims["_claim_sources"] == nil)
    }

    @Test func `a statement of what the website can do without is not ticked`() async throws {
        let phone = Phone(profile: try profile(with: statement(["picture": "https://registry.example/p"])))
        let outcome = try await phone.handle()
        let offers = try #require(phone.consent.asked.first).offers
        #expect(offers.map(\.names) == [["picture"], ["email"]])
        #expect(offers.map(\.isTicked) == [false, true])
        #expect(outcome.token("userinfo_token")?.claims["_claim_sources"] == nil)
    }

    @Test func `an answer longer than websites read is not sent`() async throws {
        let long = String(repeating: "x", count: 5000)
        let names = ["email", "name", "picture"]
        let statements = try names.map { JSONValue.string(try statement([$0: .string(long)])) }
        let phone = Phone(
            consent: Decided { .granted(Set($0.offers.map(\.id))) },
            profile: try Profile(json: Array(JSONValue.object(["statements": .array(statements)]).text.utf8)))
        #expect(await phone.refusal() == .answerTooLong)
    }

    @Test func `an expired statement is not offered`() async throws {
        let text = try statement(["email": "old", "exp": .integer(Phone.now)])
        let phone = Phone(profile: try profile(with: text))
        #expect(try await phone.handle().token("userinfo_token")?.claims["email"] == "mine")
    }

    @Test func `a profile may be the claims alone`() throws {
        #expect(try Profile(json: Array(#"{"name":"Alice"}"#.utf8)).claims == ["name": "Alice"])
    }

    @Test(arguments: [
        "", "[]", #"{"claims":{},"more":1}"#, #"{"claims":[]}"#, #"{"claims":{"name":null}}"#,
        #"{"statements":["a.b.c"]}"#,
        #"{"statements":["eyJhbGciOiJub25lIn0.eyJpc3MiOiJ4IiwiYSI6MX0."]}"#,
        #"{"name":"Alice","name":"Bob"}"#, #"{"name":"\#(String(repeating: "x", count: 1023))"}"#,
    ])
    func `a profile that cannot be read is refused`(_ text: String) {
        let refusal = #expect(throws: PhoneRefusal.self) { try Profile(json: Array(text.utf8)) }
        #expect(refusal?.reason == .profileUnusable)
    }

    @Test func `a statement that says a thing twice is not taken: websites could read what was not shown`() {
        func statement(_ claims: String) -> Statement? {
            let parts = [#"{"alg":"ES256"}"#, claims].map { Base64URL.encode($0.utf8) }
            return Statement("\(parts.joined(separator: ".")).AA")
        }
        #expect(statement(#"{"iss":"x","a":1}"#) != nil)
        #expect(statement(#"{"iss":"x","a":1,"a":2}"#) == nil)
    }
}

import Bridge
import Federation
import OAuth2
import Testing

/// Users whom their issuer numbers (docs/trusted-issuers.md).
@Suite struct NumberedUsersTests {
    /// A token whose `user_id` is written so.
    private static func token(_ value: String, without: Set<String> = []) -> String {
        let claims = String(decoding: TestToken.json(TestToken.claims(without: without)), as: UTF8.self)
        return TestToken.hmac(payload: Array("\(claims.dropLast()),\"user_id\":\(value)}".utf8))
    }

    private func numbering(prefix: String = "") async throws -> TrustedIssuers {
        try await issuers(
            hmacSettings {
                $0.subjectClaim = "user_id"
                $0.subjectPrefix = prefix
            })
    }

    @Test(arguments: ["0", "42", "-7", "9007199254740993", "9223372036854775807", "-9223372036854775808"])
    func `a number names the user whom its digits name as a text`(number: String) async throws {
        let issuers = try await numbering()
        for value in [number, "\"\(number)\""] {
            #expect(try await issuers.authenticate(Self.token(value)).subject.rawValue == number)
        }
    }

    @Test func `a number comes after the prefix as a text does`() async throws {
        let issuers = try await numbering(prefix: "b:")
        #expect(try await issuers.authenticate(Self.token("42", without: ["sub"])).subject == "b:42")
    }

    @Test(arguments: [
        "42.5", "42.0", "4.2e1", "42e0", "-0", "-0.0", "9223372036854775808", "-9223372036854775809", "1e400", "true",
        "[42]", "{}", "\"\"",
    ])
    func `attack: no other spelling of a number names anybody`(value: String) async throws {
        await (try numbering()).expect(.malformed(claim: "user_id"), of: Self.token(value))
    }

    @Test func `no number at all is a claim that is missing`() async throws {
        await (try numbering()).expect(.missing(claim: "user_id"), of: Self.token("null"))
    }

    @Test func `RFC 7519 §4.1.2: sub is a text, whatever other claims are`() async throws {
        let claims = TestToken.claims(["sub": 42, "user_id": 42])
        await (try issuers(hmacSettings())).expect(.malformed(claim: "sub"), of: TestToken.hmac(claims))
    }

    @Test func `a client is named by a text alone`() async throws {
        let issuers = try await issuers(hmacSettings { $0.clientClaim = "app_id" })
        await issuers.expect(
            .malformed(claim: "app_id"), of: TestToken.hmac(TestToken.claims(["app_id": 42])))
    }
}

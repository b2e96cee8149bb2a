import OAuth2
import Testing

@testable import Bridge

/// The second token that may come beside an answer of 2012, with what its holder tells (docs/self-issued.md).
@Suite struct SelfIssuedTokenTests {
    private static let site = "https://example.com/"
    private static let terms = SelfIssuedTerms(audiences: [site], nonces: ["n-1"], now: noon)

    /// Of an answer whose userinfo token has these claims beside those that every one has.
    private func told(_ claims: [String: JSONValue]) throws -> [String: JSONValue] {
        let key = try SigningKey.generate(.es256)
        let name = JSONValue.string(key.publicKey.bareJWK.text)
        let common: [String: JSONValue] = ["iss": name, "user_id": name, "aud": .string(Self.site)]
        func token(_ more: [String: JSONValue]) throws -> String {
            let claims = JSONValue.object(common.merging(more) { $1 })
            return try CompactJWS.sign(Array(claims.text.utf8), type: "JWT", with: key)
        }
        let own: [String: JSONValue] = [
            "nonce": .string("n-1"), "iat": .number("\(noon.seconds)"), "exp": .number("\(noon.seconds + 300)"),
        ]
        let answer = try Provider.parameters([("id_token", try token(own)), ("userinfo_token", try token(claims))])
        return try SelfIssuedToken(answer: answer, terms: Self.terms).told
    }

    private static func seconds(_ distance: Int64) -> JSONValue { .number("\(noon.seconds + distance)") }

    @Test(
        arguments: [
            (["nonce": .string("n-2")], .nonceMismatch), (["nonce": .null], .nonceMismatch),
            (["exp": seconds(-60)], .expired), (["exp": .string("never")], .expired),
        ] as [([String: JSONValue], SelfIssuedRefusal.Reason)])
    func `a userinfo token of another sign-in, or one that has run out, is refused with the whole answer`(
        claims: [String: JSONValue], reason: SelfIssuedRefusal.Reason
    ) throws {
        #expect(throws: reason) { try told(claims) }
    }

    @Test(
        arguments: [
            [:], ["nonce": .string("n-1")], ["exp": seconds(-59)],
        ] as [[String: JSONValue]])
    func `a userinfo token may leave out whose sign-in it is of and when it ends`(
        claims: [String: JSONValue]
    ) throws {
        let told = try told(claims.merging(["name": .string("Alice")]) { $1 })
        #expect(told["name"]?.string == "Alice")
    }
}

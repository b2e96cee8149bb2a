import OAuth2
import Testing

@testable import Bridge

/// The times of an answer, and the second token that may come beside one of 2012, with what its holder tells
/// (docs/self-issued.md).
@Suite struct SelfIssuedTokenTests {
    private static let site = "https://example.com/"
    private static let terms = SelfIssuedTerms(audiences: [site], nonces: ["n-1"], now: noon)

    /// Of an answer whose userinfo token has these claims beside those that every one has.
    /// - Parameter changes: to the claims of the answer itself.
    private func told(
        _ claims: [String: JSONValue], changes: [String: JSONValue] = [:]
    ) throws -> [String: JSONValue] {
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
        let answer = try Provider.parameters([
            ("id_token", try token(own.merging(changes) { $1 })), ("userinfo_token", try token(claims)),
        ])
        return try SelfIssuedToken(answer: answer, terms: Self.terms).told
    }

    private static func seconds(_ distance: Int64) -> JSONValue { .number("\(noon.seconds + distance)") }

    @Test(
        arguments: [
            (["nonce": .string("n-2")], .nonceMismatch), (["nonce": .null], .nonceMismatch),
            (["exp": seconds(-60)], .expired), (["exp": .string("never")], .expired),
            (["exp": .number("-1")], .expired),
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

    /// With half a second, which whole seconds would round to a side.
    private static func half(after distance: Int64) -> JSONValue { .number("\(noon.seconds + distance).5") }

    @Test(
        arguments: [
            ("exp", half(after: -61), .expired), ("exp", seconds(-60), .expired),
            ("iat", half(after: -661), .issuedOutOfRange), ("iat", half(after: 60), .issuedOutOfRange),
            ("nbf", half(after: 60), .issuedOutOfRange), ("iat", .number("0"), .issuedOutOfRange),
            ("exp", .number("-1"), .expired), ("iat", .number("-1e300"), .issuedOutOfRange),
            ("iat", .number("1e300"), .issuedOutOfRange), ("nbf", .number("253402300860"), .issuedOutOfRange),
        ] as [(String, JSONValue, SelfIssuedRefusal.Reason)])
    func `an answer is refused from the very instant at which it is too old or too early`(
        name: String, time: JSONValue, reason: SelfIssuedRefusal.Reason
    ) throws {
        #expect(throws: reason) { try told([:], changes: [name: time]) }
    }

    @Test(
        arguments: [
            ("exp", half(after: -60)), ("exp", seconds(8_000_000_000)), ("iat", seconds(-660)),
            ("iat", half(after: 59)), ("iat", seconds(60)), ("nbf", seconds(60)), ("nbf", .number("0")),
            ("exp", .number("1e300")), ("nbf", .number("-1e300")),
        ] as [(String, JSONValue)])
    func `an answer is taken up to the very instant at which it is too old or too early`(
        name: String, time: JSONValue
    ) throws {
        #expect(throws: Never.self) { try told([:], changes: [name: time]) }
    }

    @Test(
        arguments: ["exp", "iat", "nbf"],
        ["1e999", #""soon""#, "null", "true"])
    func `RFC 7519 §2: an answer with a time that is no number is malformed`(name: String, json: String) throws {
        let time = try #require(JSONValue.parse(json.utf8))
        #expect(throws: SelfIssuedRefusal.Reason.malformed) { try told([:], changes: [name: time]) }
    }
}

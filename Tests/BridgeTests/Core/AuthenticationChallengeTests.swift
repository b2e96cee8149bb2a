import Testing

@testable import Bridge

/// RFC 9470 §3.
@Suite struct AuthenticationChallengeTests {
    private static let texts: [([String], Duration?, String)] = [
        ([], nil, ""), (["aal2"], nil, #", acr_values="aal2""#), (["aal2", "gold"], nil, #", acr_values="aal2 gold""#),
        ([], .seconds(300), #", max_age="300""#), ([], .zero, #", max_age="0""#),
        (["aal2"], .milliseconds(60_999), #", acr_values="aal2", max_age="60""#),
    ]

    @Test(arguments: texts)
    func `a challenge says how strong and how fresh a sign-in must be`(
        acrValues: [String], maximumAge: Duration?, more: String
    ) {
        #expect(
            AuthenticationChallenge.text(acrValues: acrValues, maximumAge: maximumAge)
                == #"Bearer error="insufficient_user_authentication""# + more)
    }

    @Test(arguments: ["a\"b", "a\\b", "a b", "a\r\nb", "ä", "\u{7F}"])
    func `RFC 6749 appendix A: a value that fits no quoted string as it is goes unsaid`(value: String) {
        let challenge = AuthenticationChallenge.text(acrValues: ["aal2", value], maximumAge: nil)
        #expect(challenge == #"Bearer error="insufficient_user_authentication", acr_values="aal2""#)
        #expect(AuthenticationChallenge.text(acrValues: [value]) == AuthenticationChallenge.text())
    }

    private static let levels: [(String?, [String], Bool)] = [
        ("aal2", ["aal1"], true), ("aal1", ["aal2"], false), ("aal1", ["aal2", "aal1"], true),
        ("gold", ["aal1"], false), (nil, ["aal1"], false), (nil, [], true), ("gold", [], true),
    ]

    @Test(arguments: levels)
    func `any of several levels will do, and any at all where there are none`(
        acr: String?, wanted: [String], isEnough: Bool
    ) {
        #expect(AuthenticationLevel.satisfies(acr, anyOf: wanted) == isEnough)
    }
}

import OAuth2
import Testing

@Suite struct CodeChallengeRFC7636Tests {
    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test func `the example of appendix B holds`() throws {
        let parsed = try #require(CodeChallenge(challenge))
        #expect(parsed.isAnswered(by: try #require(CodeVerifier(verifier))))
        #expect(CodeChallenge(for: try #require(CodeVerifier(verifier))) == parsed)
    }

    @Test func `another verifier does not answer`() throws {
        let other = try #require(CodeVerifier(String(verifier.dropLast()) + "l"))
        #expect(try !#require(CodeChallenge(challenge)).isAnswered(by: other))
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
        String(repeating: "a", count: 42) + "+", String(repeating: "a", count: 42) + "=",
        String(repeating: "a", count: 42) + "é",
    ])
    func `a verifier outside the ABNF of section 4 point 1 is refused`(text: String) {
        #expect(CodeVerifier(text) == nil)
    }

    @Test(arguments: [43, 128]) func `the shortest and the longest verifier are accepted`(length: Int) {
        #expect(
            CodeVerifier(String("aZ09-._~".randomElement() ?? "a") + String(repeating: "b", count: length - 1)) != nil)
    }

    @Test(arguments: [
        "", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMA",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw.cM",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstwéM",
    ])
    func `a challenge that is not 43 characters of base64url is refused`(text: String) {
        #expect(CodeChallenge(text) == nil)
    }

    @Test(arguments: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN", String(repeating: "a", count: 43)])
    func `a challenge that no encoder writes is taken, and nothing answers it`(text: String) throws {
        #expect(try !#require(CodeChallenge(text)).isAnswered(by: #require(CodeVerifier(verifier))))
    }
}

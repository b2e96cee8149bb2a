import Testing

@testable import OAuth2

@Suite struct DPoPProofRFC9449Tests {
    @Test(arguments: SigningAlgorithm.allCases)
    func `§4.2: a proof says whose key it shows`(_ algorithm: SigningAlgorithm) throws {
        let maker = try ProofMaker(algorithm)
        let proof = try DPoPProof(try maker.proof())
        #expect(proof.keyThumbprint == maker.key.id)
        #expect(proof.id == "-BwC3ESc6acc2lTc")
        #expect(proof.issuedAt == 1_763_708_400)
        #expect(proof.flaw(method: "POST", targets: [ProofMaker.target]) == nil)
        #expect(proof.nonce == nil)
        #expect(proof.tokenHash == nil)
    }

    @Test func `§4.2: the example of the RFC is read`() throws {
        let text = """
            eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0\
            RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAt\
            MjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL\
            3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK7\
            0nfbV37xRZT3Lg
            """
        let proof = try DPoPProof(text)
        // §6.1 shows this thumbprint.
        #expect(proof.keyThumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(proof.flaw(method: "POST", targets: ["https://server.example.com/token"]) == nil)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let flaw: DPoPRefusal
        var header: [String: JSONValue?] = [:]
        var claims: [String: JSONValue?] = [:]
    }

    @Test(arguments: [
        Row(testDescription: "no typ", flaw: .wrongType, header: ["typ": nil]),
        Row(testDescription: "another typ", flaw: .wrongType, header: ["typ": .string("JWT")]),
        Row(testDescription: "an access token's typ", flaw: .wrongType, header: ["typ": .string("at+jwt")]),
        Row(testDescription: "no alg", flaw: .wrongAlgorithm, header: ["alg": nil]),
        Row(testDescription: "alg none", flaw: .wrongAlgorithm, header: ["alg": .string("none")]),
        Row(testDescription: "a symmetric alg", flaw: .wrongAlgorithm, header: ["alg": .string("HS256")]),
        Row(testDescription: "an alg that is not offered", flaw: .wrongAlgorithm, header: ["alg": .string("ES384")]),
        Row(testDescription: "the alg of another kind of key", flaw: .badSignature, header: ["alg": .string("RS256")]),
        Row(testDescription: "no jwk", flaw: .unusableKey, header: ["jwk": nil]),
        Row(testDescription: "a jwk that is text", flaw: .unusableKey, header: ["jwk": .string("key")]),
        Row(
            testDescription: "a symmetric jwk", flaw: .privateKey,
            header: ["jwk": .object(["kty": .string("oct"), "k": .string("AA")])]),
        Row(
            testDescription: "a jwk without a point", flaw: .unusableKey,
            header: ["jwk": .object(["kty": .string("EC"), "crv": .string("P-256")])]),
        Row(
            testDescription: "an extension that must be understood", flaw: .malformed,
            header: ["crit": .array([.string("x")])]),
        Row(testDescription: "no jti", flaw: .missingClaim, claims: ["jti": nil]),
        Row(testDescription: "an empty jti", flaw: .missingClaim, claims: ["jti": .string("")]),
        Row(
            testDescription: "a jti of 129 bytes", flaw: .missingClaim,
            claims: ["jti": .string(String(repeating: "j", count: 129))]),
        Row(testDescription: "no htm", flaw: .missingClaim, claims: ["htm": nil]),
        Row(testDescription: "no htu", flaw: .missingClaim, claims: ["htu": nil]),
        Row(testDescription: "no iat", flaw: .missingClaim, claims: ["iat": nil]),
        Row(testDescription: "iat as text", flaw: .missingClaim, claims: ["iat": .string("1763708400")]),
        Row(testDescription: "ath as a number", flaw: .malformed, claims: ["ath": .number("1")]),
        Row(testDescription: "nonce as a number", flaw: .malformed, claims: ["nonce": .number("1")]),
        Row(testDescription: "exp as text", flaw: .malformed, claims: ["exp": .string("1")]),
    ])
    func `§4.3: a proof that is not what it must be is refused`(_ row: Row) throws {
        #expect(ProofMaker.flaw(try ProofMaker().proof(header: row.header, claims: row.claims)) == row.flaw)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `§4.3: a jwk with a private member is refused`(_ member: String) throws {
        let maker = try ProofMaker()
        var jwk = try #require(maker.jwk.object)
        jwk[member] = .string("AQAB")
        #expect(ProofMaker.flaw(try maker.proof(header: ["jwk": .object(jwk)])) == .privateKey)
    }

    @Test func `§4.3: another key's signature is refused`() throws {
        let (maker, other) = (try ProofMaker(), try ProofMaker())
        #expect(ProofMaker.flaw(try maker.proof(header: ["jwk": other.jwk])) == .badSignature)
    }

    @Test func `§4.3: members that nobody knows do not matter, and those given twice do`() throws {
        let maker = try ProofMaker()
        #expect(ProofMaker.flaw(try maker.proof(claims: ["extra": .string("x")])) == nil)
        let header = JSONValue.object(maker.header).text
        let doubled = #"{"jti":"a","jti":"b","htm":"POST","htu":"https://id.example.com/","iat":1}"#
        #expect(ProofMaker.flaw(try maker.sign(header, doubled)) == .malformed)
    }

    @Test(
        arguments: [
            ("POST", ProofMaker.target, nil), ("GET", ProofMaker.target, .wrongMethod),
            ("post", ProofMaker.target, .wrongMethod), ("POST", "https://id.example.com/oauth/par", .wrongTarget),
            ("POST", "http://id.example.com/oauth/token", .wrongTarget),
            ("POST", "https://other.example.com/oauth/token", .wrongTarget),
        ] as [(String, String, DPoPRefusal?)])
    func `§4.3: a proof is about one method and one address`(method: String, target: String, flaw: DPoPRefusal?) throws
    {
        #expect(try DPoPProof(try ProofMaker().proof()).flaw(method: method, targets: [target]) == flaw)
    }

    @Test func `§4.2: ath fits its token and no other`() throws {
        let maker = try ProofMaker()
        // The token and hash of §7.1.
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        let proof = try DPoPProof(
            try maker.proof(claims: ["ath": .string("fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")]))
        #expect(proof.fits(accessToken: token))
        #expect(!proof.fits(accessToken: token + "x"))
        #expect(!(try DPoPProof(try maker.proof()).fits(accessToken: token)))
    }

    @Test func `a proof beyond the length is not read`() throws {
        let long = try ProofMaker().proof(claims: ["pad": .string(String(repeating: "x", count: 8192))])
        #expect(ProofMaker.flaw(long) == .malformed)
    }
}

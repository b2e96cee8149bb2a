import Testing

@testable import OAuth2

@Suite struct VerificationKeyTests {
    @Test(arguments: SigningAlgorithm.allCases)
    func `what a key signs its public half verifies, from the published set too`(
        _ algorithm: SigningAlgorithm
    ) throws {
        let key = try SigningKey.generate(algorithm)
        let token = try #require(CompactJWS(try CompactJWS.sign(Array("{}".utf8), type: "JWT", with: key)))
        #expect(key.publicKey.verifies(token))
        #expect(SignatureAlgorithm.allCases.filter(key.publicKey.fits).map(\.rawValue) == [algorithm.rawValue])
        let published = try #require(VerificationKey(jwk: key.publicKey.jwk(id: key.id, algorithm: algorithm)))
        #expect(published.verifies(token))
        #expect(published.thumbprint == key.id)
        #expect(published.id == key.id)
        let kept = try SigningKey(algorithm: algorithm, privateBytes: key.privateBytes)
        #expect(kept.id == key.id)
        #expect(!(try SigningKey.generate(algorithm).publicKey.verifies(token)))
    }

    @Test(arguments: ["none", "HS256", "RS256", "ES384", ""])
    func `a key verifies under its own algorithm only`(_ algorithm: String) throws {
        let key = try SigningKey.generate(.es256)
        let good = try CompactJWS.sign(Array("{}".utf8), type: "JWT", with: key)
        let parts = good.split(separator: ".").map(String.init)
        let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)","kid":"\#(key.id)"}"#.utf8))
        let forged = try #require(CompactJWS("\(header).\(parts[1]).\(parts[2])"))
        #expect(!key.publicKey.verifies(forged))
    }

    @Test func `EdDSA has two names, by RFC 8037 and by RFC 9864, and no other algorithm has`() {
        for algorithm in SignatureAlgorithm.allCases {
            #expect(SignatureAlgorithm(joseName: algorithm.rawValue) == algorithm)
        }
        #expect(SignatureAlgorithm(joseName: "Ed25519") == .edDSA)
        for name in ["ed25519", "Ed448", "ESP256", "none", ""] { #expect(SignatureAlgorithm(joseName: name) == nil) }
    }

    @Test func `the thumbprint is that of RFC 7638`() throws {
        let modulus =
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n"
            + "3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0"
            + "zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44"
            + "-csFCur-kEgU8awapJzKnqDKgw"
        let key = try #require(
            VerificationKey(
                jwk: .object([
                    "kty": .string("RSA"), "n": .string(modulus), "e": .string("AQAB"), "alg": .string("RS256"),
                    "kid": .string("2011-04-29"),
                ])))
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test func `a kind of key has one spelling, and a key one thumbprint`() throws {
        let key = try SigningKey.generate(.edDSA).publicKey
        var members = try #require(key.bareJWK.object)
        #expect(VerificationKey(jwk: .object(members))?.thumbprint == key.thumbprint)
        // KELVIN SIGN is a K to whoever compares text by canonical equivalence.
        members["kty"] = .string("O\u{212A}P")
        #expect(VerificationKey(jwk: .object(members)) == nil)
    }

    @Test(arguments: [
        (#"{"alg":"ES256"}"#, ""), (#"{"alg":"ES256"}"#, ".e30"), (#"{"alg":"ES256"}"#, ".e30.AA.AA"),
        (#"{"alg":"ES256"}"#, ".e30.AA="), (#"{"alg":"ES256"}"#, ".e30.AB"), (#"["ES256"]"#, ".e30.AA"),
        (#"{"alg":"ES256","alg":"ES256"}"#, ".e30.AA"), (#"{"alg":"ES256","crit":[]}"#, ".e30.AA"),
    ])
    func `what is no JWS, has no signature part rightly written, or has critical members is not read`(
        _ header: String, _ rest: String
    ) {
        #expect(CompactJWS(Base64URL.encode(Array(header.utf8)) + rest) == nil)
        #expect(CompactJWS(Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)) + ".e30.AA")?.algorithm == "ES256")
    }
}

import Foundation
import OAuth2
import Testing

@testable import Bridge

/// What is no key of a person, and which spellings a key may have.
@Suite struct SelfIssuedKeyTests {
    private static func jwk(_ text: String) throws -> JSONValue { try #require(JSONValue.parse(text.utf8)) }

    private static func reason(of jwk: JSONValue) -> SelfIssuedRefusal.Reason? {
        do throws(SelfIssuedRefusal.Reason) {
            _ = try SelfIssuedKey(jwk: jwk)
            return nil
        } catch {
            return error
        }
    }

    /// The X.509 key (RFC 5280 §4.1.2.7), written here and by nobody's library.
    private static func x509(_ jwk: [String: JSONValue]) throws -> [UInt8] {
        func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            let length: [UInt8] =
                count < 128
                ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
            return [tag] + length + content
        }
        func member(_ name: String) throws -> [UInt8] {
            try #require(jwk[name]?.string.flatMap { Base64URL.decode($0) })
        }
        func bits(_ content: [UInt8]) -> [UInt8] { der(0x03, [0] + content) }
        switch jwk["kty"]?.string {
        case "RSA":
            let kind = der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]) + [0x05, 0x00]
            let numbers = der(0x02, [0] + (try member("n"))) + der(0x02, try member("e"))
            return der(0x30, der(0x30, kind) + bits(der(0x30, numbers)))
        case "EC":
            let kind =
                der(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
                + der(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
            return der(0x30, der(0x30, kind) + bits([0x04] + (try member("x")) + (try member("y"))))
        default: return der(0x30, der(0x30, der(0x06, [0x2B, 0x65, 0x70])) + bits(try member("x")))
        }
    }

    private static func made(_ algorithm: SigningAlgorithm) throws -> [String: JSONValue] {
        try #require(try SigningKey.generate(algorithm).publicKey.bareJWK.object)
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func `a bare key of each kind is read, alone and as a set of one`(algorithm: SigningAlgorithm) throws {
        let jwk = JSONValue.object(try Self.made(algorithm))
        let key = try SelfIssuedKey(jwk: jwk)
        #expect(key.algorithm.rawValue == algorithm.rawValue)
        #expect(try SelfIssuedKey(jwk: .object(["keys": .array([jwk])])).thumbprint == key.thumbprint)
        #expect(try SelfIssuedKey(issuer: jwk.text).thumbprint == key.thumbprint)
        #expect(Self.reason(of: .object(["keys": .array([jwk, jwk])])) == .keyInvalid)
        #expect(Self.reason(of: .object(["keys": .array([])])) == .keyInvalid)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `a private member is refused by its name, whatever it holds`(name: String) throws {
        var jwk = try Self.made(.es256)
        jwk[name] = .string("")
        #expect(Self.reason(of: .object(jwk)) == .keyPrivate)
    }

    @Test(arguments: ["x5c", "x5u"])
    func `a certificate is refused`(name: String) throws {
        var jwk = try Self.made(.es256)
        jwk[name] = .array([])
        #expect(Self.reason(of: .object(jwk)) == .keyInvalid)
    }

    @Test func `a coordinate has one spelling and the right length`() throws {
        let jwk = try Self.made(.es256)
        let x = try #require(jwk["x"]?.string)
        for other in [x + "=", "AA" + x, String(x.dropLast()), x + "A", " " + x, ""] {
            var jwk = jwk
            jwk["x"] = .string(other)
            #expect(Self.reason(of: .object(jwk)) == .keyInvalid, "\(other)")
        }
    }

    @Test func `a point that is not on the curve is refused`() throws {
        var jwk = try Self.made(.es256)
        jwk["y"] = jwk["x"]
        #expect(Self.reason(of: .object(jwk)) == .keyInvalid)
    }

    @Test func `an RSA key has the usual exponent and no leading zero`() throws {
        let jwk = try Self.made(.rs256)
        let modulus = try #require(jwk["n"]?.string.flatMap { Base64URL.decode($0) })
        for (name, value) in [
            ("e", "Aw"), ("e", "AAEAAQ"), ("e", "AQ"), ("n", Base64URL.encode([0] + modulus)),
            ("n", Base64URL.encode(Array(modulus.prefix(255)))),
        ] {
            var jwk = jwk
            jwk[name] = .string(value)
            #expect(Self.reason(of: .object(jwk)) == .keyInvalid, "\(name)")
        }
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA", "7P_______________________________________38",
        "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU", "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_IU",
    ])
    func `a point of small order, for which anybody signs, is refused`(x: String) throws {
        let jwk = try Self.jwk(#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#)
        #expect(Self.reason(of: jwk) == .keyInvalid)
    }

    @Test(arguments: [
        "null", "7", "\"x\"", "[]", "{}", #"{"kty":"oct"}"#, #"{"kty":"EC","crv":"P-256"}"#,
        #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#, #"{"kty":7}"#,
    ])
    func `what is no key is refused`(text: String) throws {
        #expect(Self.reason(of: try Self.jwk(text)) == .keyInvalid)
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func `a key written as X.509 is the same key in base64 of either alphabet and in PEM`(
        algorithm: SigningAlgorithm
    ) throws {
        let rows = SelfIssuedTokenCasesTests.cases.filter { $0.why?.contains("SubjectPublicKeyInfo") == true }
        #expect(rows.count >= 2)
        let jwk = try Self.made(algorithm)
        let bytes = try Self.x509(jwk)
        let wanted = try SelfIssuedKey(jwk: .object(jwk)).thumbprint
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(bytes))\n-----END PUBLIC KEY-----\n"
        for text in [Base64.encode(bytes), Base64URL.encode(bytes), pem] {
            #expect(try SelfIssuedKey(issuer: text).thumbprint == wanted)
        }
    }

    @Test(arguments: ["", "{", "=", "====", "AAAA", "-----BEGIN PUBLIC KEY-----", "https://self-issued.me", "\u{0}"])
    func `an issuer that is no key is refused`(text: String) {
        #expect(throws: SelfIssuedRefusal.Reason.keyInvalid) { try SelfIssuedKey(issuer: text) }
    }

    @Test func `a token whose header repeats a private key, or another one, is refused`() throws {
        let key = try SigningKey.generate(.es256)
        let jwk = try #require(key.publicKey.bareJWK.object)
        let now = Timestamp(seconds: 1_800_000_000)
        let claims = JSONValue.object([
            "iss": .string("https://self-issued.me"), "sub": .string(key.publicKey.thumbprint),
            "sub_jwk": .object(jwk), "aud": .string("https://example.com/"), "nonce": .string("n"),
            "iat": .number("1800000000"), "exp": .number("1800000300"),
        ])
        let token = try CompactJWS.sign(Array(claims.text.utf8), type: "JWT", with: key)
        let terms = SelfIssuedTerms(audiences: ["https://example.com/"], nonces: ["n"], now: now)
        #expect(throws: Never.self) {
            try SelfIssuedToken(answer: FormParameters(parsing: "id_token=\(token)".utf8), terms: terms)
        }
        let parts = token.split(separator: ".")
        var other = try Self.made(.es256)
        for reason in [SelfIssuedRefusal.Reason.subjectMismatch, .keyPrivate] {
            let header = JSONValue.object(["alg": .string("ES256"), "jwk": .object(other)]).text
            let text = "id_token=\(Base64URL.encode(Array(header.utf8))).\(parts[1]).\(parts[2])"
            #expect(throws: reason) {
                try SelfIssuedToken(answer: FormParameters(parsing: text.utf8), terms: terms)
            }
            other["d"] = .string("AA")
        }
    }
}

import OAuth2
import Testing

@testable import Bridge

/// What the audit log keeps of values that somebody put a secret into (contract §8).
@Suite struct StrayedSecretTests {
    private static let secrets =
        [OpaqueSecret.Kind.deviceSecret, .webSession, .refreshToken].map {
            OpaqueSecret.make($0, random: .system).expose()
        } + [Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + ".e30.c2ln", sealed]

    /// As a password set-up link has it, and whatever else is sealed for a while: without a mark.
    private static let sealed = DatedText(
        expiresAt: noon + .seconds(3600), keyID: "k1", bytes: [UInt8](repeating: 7, count: 90)
    ).text

    /// What stands ahead of a secret: delimiters as they are, encoded once and more often, and none that a URL knows.
    static let beginnings = [
        "/x?s=", "/x%3Fs%3D", "/l%3ftoken%3d", "/%2F", "/at%40", "/t%20", "/x%253Fs%253D", "/x%25253D", "/x%2525253D",
        "/x%25%33D", "/100%/x%3D", "myapp:/cb%3Fs%3D", "https://a.example/%2F", "x%3D", "/cb.", "/x-", "/x_", "/x/=3D",
        "/\\u003d", "/login",
    ]

    @Test(arguments: beginnings)
    func `a secret leaves no more than the length of a value, whatever stands ahead of it`(_ beginning: String) {
        for secret in Self.secrets {
            let value = Array((beginning + secret).utf8)
            #expect(RefusedParameter.detail("client_id", value) == #"{"length":\#(value.count)}"#)
        }
    }

    @Test func `a redirect that was encoded twice leaves no more than its length`() {
        for secret in Self.secrets {
            for beginning in ["/x%3Fs%3D", "/l%3Ftoken%3D", "/cb.", "myapp:/cb%3Fs%3D"] {
                let path = "\(beginning)\(secret)?a=b"
                #expect(RefusedRedirect.detail(Array(path.utf8)) == #"{"length":\#(path.utf8.count)}"#)
            }
        }
    }

    @Test func `a secret that is encoded itself is one all the same, and so is what is left of one`() {
        let secret = Self.secrets[0]
        let encoded = secret.utf8.map { "%" + HexDigit.encode([$0]) }.joined()
        for path in ["/\(encoded)", "/%64\(secret.dropFirst())", "/x%3D\(secret.prefix(20))", "/x.eyJhbGciOiJIUzI1"] {
            #expect(RefusedRedirect.detail(Array(path.utf8)) == #"{"length":\#(path.utf8.count)}"#)
        }
    }

    @Test func `what is sealed is known by its form, also where a part of it is missing`() throws {
        let keys = Reloadable(keyRing("k1"))
        for purpose in DerivedKeyPurpose.allCases {
            let seal = ShortLivedSeal(keys: keys, purpose: purpose, time: FixedClock().source)
            let text = try seal.seal([1], lifetime: .seconds(60))
            #expect(StrayedSecret.redacting("opened by \(text)") == "<redacted>")
            #expect(StrayedSecret.redacting("https://a.example/account/set-up?link=\(text)") == "<redacted>")
        }
        let words = "\(Self.sealed.prefix(60)) \(Self.sealed.dropFirst(60))"
        #expect(StrayedSecret.redacting("\"\(words)\"") == "<redacted>")
    }

    @Test(arguments: [
        "1796084745", "at 1796084745.25", "build 1796084745.azE.2", "version 1.2.3", "1796084745.a.b.c.d",
        "shop/1796084745.min.js", "1796084745..", "1796084745.", "+49 151 1796084745.",
    ])
    func `ordinary numbers stay as they are`(_ text: String) {
        #expect(StrayedSecret.redacting(text) == text)
    }

    @Test func `a value that is encoded ever again is kept no more than a secret`() {
        let path = "/x%252525253Dy"
        #expect(RefusedRedirect.detail(Array(path.utf8)) == #"{"length":\#(path.utf8.count)}"#)
    }

    @Test func `a user agent with a secret in it is neither kept nor the name of a device`() {
        for secret in Self.secrets {
            for beginning in ["InApp/1.0 (url=https://a.example/login-with-token?token=", "InApp/", "", "A%3D"] {
                let kept = origin(userAgent: beginning + secret).userAgent
                #expect(kept == RequestOrigin.redactedUserAgent && DeviceName.fromUserAgent(kept) == nil)
            }
            // Where its end is cut off, enough of it may be left.
            let long = String(repeating: "a", count: RequestOrigin.userAgentLimit - 40) + " " + secret
            #expect(origin(userAgent: long).userAgent == RequestOrigin.redactedUserAgent)
        }
    }

    @Test(arguments: [
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
        "Mozilla/5.0 (Linux; Android 15; K; wv) AppleWebKit/537.36 Chrome/137.0.0.0 Mobile Safari/537.36 [FB_IAB/x;]",
        "Example%20App/3.1 CFNetwork/1410.0.3 Darwin/24.5.0", "curl/8.14.1", "Größe/1.0 100%", "",
    ])
    func `ordinary user agents stay as they are`(_ agent: String) {
        #expect(origin(userAgent: agent).userAgent == agent)
    }

    @Test(arguments: [
        "/com.example.app/v1.2", "/fields_of/a%2Fb", "/records_and_words", "/eyewitness-reports", "/eyJack.html",
        "/100%", "/a%3Fb%3Dc", "/%zz%3", "/example.evening-express-extra-long",
    ])
    func `ordinary paths stay as they are`(_ path: String) {
        #expect(
            RefusedRedirect.detail(Array(path.utf8)) == #"{"length":\#(path.utf8.count),"path":"\#(path)"}"#)
    }
}

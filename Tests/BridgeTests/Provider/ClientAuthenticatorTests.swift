import BridgeTestSupport
import OAuth2
import Synchronization
import Testing

@testable import Bridge

private let form = [("grant_type", "client_credentials")]

private func expectRefusal(
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> TokenResponse
) async throws {
    let found = try await refusal(call)
    #expect(found == expected, sourceLocation: sourceLocation)
}

@Suite struct ClientAuthenticatorTests {
    @Test func `a secret is taken from the header and from the form`() async throws {
        try await withProvider { provider in
            let secret = provider.secret.expose()
            try await expectRefusal("accepted") {
                try await provider.token(form, basic: .given(id: "machine", secret: Secret(secret)))
            }
            try await expectRefusal("accepted") {
                try await provider.token(form + [("client_id", "machine"), ("client_secret", secret)])
            }
        }
    }

    @Test func `whoever is not believed is told one thing`() async throws {
        try await withProvider { provider in
            let secret = provider.secret.expose()
            let other = OpaqueSecret.make(.clientSecret, random: .system).expose()
            try await expectRefusal("invalid_client wrong_secret") {
                try await provider.token(form, basic: .given(id: "machine", secret: Secret(other)))
            }
            try await expectRefusal("invalid_client unknown_client") {
                try await provider.token(form, basic: .given(id: "nobody", secret: Secret(secret)))
            }
            try await expectRefusal("invalid_client missing_client_id") { try await provider.token(form) }
            try await expectRefusal("invalid_client missing_proof") {
                try await provider.token(form + [("client_id", "machine")])
            }
            try await expectRefusal("invalid_client wrong_method") {
                try await provider.token(form + [("client_id", "app"), ("client_secret", secret)])
            }
            try await expectRefusal("invalid_request several_proofs") {
                try await provider.token(
                    form + [("client_secret", secret)], basic: .given(id: "machine", secret: Secret(secret)))
            }
            let failures = try await provider.service.events().filter { $0.hasPrefix("client.authentication_failed") }
            #expect(failures.count == 5)
        }
    }

    @Test func `RFC 6749 §5.2: credentials that cannot be read have failed, whoever is named beside`() async throws {
        try await withProvider { provider in
            for named in [[], [("client_id", "machine")], [("client_id", "app")]] as [[(String, String)]] {
                try await expectRefusal("invalid_client unreadable_credentials") {
                    try await provider.token(form + named, basic: .unreadable)
                }
            }
            let failures = try await provider.service.events().filter { $0.hasPrefix("client.authentication_failed") }
            #expect(failures.count == 3)
        }
    }

    /// - Parameters:
    ///   - audience: as JSON.
    ///   - id: `nil` leaves it out.
    ///   - wait: in how many seconds it begins to count; `nil` says nothing of that.
    ///   - more: further claims, as JSON.
    private func assertion(
        _ provider: Provider, id: String? = "1", audience: String = "\"\(issuerName)\"", subject: String = "signing",
        lifetime: Int64 = 60, age: Int64? = nil, notBefore wait: Int64? = nil,
        more: KeyValuePairs<String, String> = [:], key: SigningKey? = nil
    ) throws -> [(String, String)] {
        var claims = JSONObjectWriter()
        claims.add("iss", subject)
        claims.add("sub", subject)
        claims.add("aud", json: audience)
        if let id { claims.add("jti", id) }
        claims.add("exp", provider.service.clock.now.seconds + lifetime)
        if let age { claims.add("iat", provider.service.clock.now.seconds - age) }
        if let wait { claims.add("nbf", provider.service.clock.now.seconds + wait) }
        for (name, json) in more { claims.add(name, json: json) }
        let token = try CompactJWS.sign(claims.finish(), type: "JWT", with: key ?? provider.assertionKey)
        return form + [
            ("client_assertion_type", ClientCredentials.assertionType), ("client_assertion", token),
        ]
    }

    @Test func `a signed assertion counts once, on every node over the database`() async throws {
        try await withProvider { provider in
            let signed = try assertion(provider)
            try await expectRefusal("accepted") { try await provider.token(signed) }
            try await expectRefusal("invalid_client assertion_replayed") { try await provider.token(signed) }
            // Another process, that remembers nothing and has no Redis.
            let other = ClientAuthenticator(
                clients: provider.service.clients, issuer: issuerName, assertions: provider.service.storage,
                refusals: RefusalLog(audit: provider.service.storage, limiter: UnlimitedRateLimiter()),
                limiter: UnlimitedRateLimiter(), limits: LimitSettings())
            let found = try await refusal {
                try await other.authenticate(
                    try ClientCredentials(try Provider.parameters(signed), basic: .absent), origin: origin(),
                    at: provider.service.clock.now)
            }
            #expect(found == "invalid_client assertion_replayed")
        }
    }

    @Test func `attack: forged assertions are counted where keys cannot be fetched, and then nobody is asked for them`()
        async throws
    {
        try await withProvider { provider async throws in
            let keys = UnreachableKeys()
            let limiter = InProcessRateLimiter(clock: .parameter)
            var limits = LimitSettings()
            limits.failedClientPerNetwork = TokenBucket(perMinute: 3)
            let authenticator = ClientAuthenticator(
                clients: provider.service.clients, issuer: issuerName, keys: keys,
                assertions: provider.service.storage,
                refusals: RefusalLog(audit: provider.service.storage, limiter: limiter), limiter: limiter,
                limits: limits)
            func outcome(_ id: String, from network: RequestOrigin = origin()) async throws -> String {
                let form = try Provider.parameters(try assertion(provider, id: id))
                do {
                    _ = try await authenticator.authenticate(
                        try ClientCredentials(form, basic: .absent), origin: network, at: provider.service.clock.now)
                    return "accepted"
                } catch is StorageError {
                    return "unavailable"
                } catch let error as OAuthError {
                    return error.code.rawValue
                }
            }
            for number in 0..<3 { #expect(try await outcome("\(number)") == "unavailable") }
            for number in 3..<6 { #expect(try await outcome("\(number)") == "rate_limited") }
            #expect(keys.asked == [String?](repeating: provider.assertionKey.id, count: 3))
            #expect(try await outcome("6", from: origin("198.51.100.1")) == "unavailable")
            let failures = try await provider.service.events().filter { $0.hasPrefix("client.authentication_failed") }
            #expect(failures == Array(repeating: "client.authentication_failed keys_unreachable", count: 4))
        }
    }

    @Test func `an assertion of an hour is good for ten minutes from when it was made`() async throws {
        try await withProvider { provider in
            for (number, age) in [Int64(0), 300, 599, -20].enumerated() {
                try await expectRefusal("accepted") {
                    try await provider.token(
                        try assertion(provider, id: "good \(number)", lifetime: 3600 - age, age: age))
                }
            }
            try await expectRefusal("invalid_client assertion_too_old") {
                try await provider.token(try assertion(provider, lifetime: 2900, age: 700))
            }
            for (lifetime, age) in [(Int64(3601), Int64(0)), (3600, -300), (601, nil)] as [(Int64, Int64?)] {
                try await expectRefusal("invalid_client assertion_too_lasting") {
                    try await provider.token(try assertion(provider, lifetime: lifetime, age: age))
                }
            }
        }
    }

    @Test func `an assertion made later than our clock says is refused, since a restore would let it count again`()
        async throws
    {
        try await withProvider { provider in
            for (lifetime, age) in [(Int64(600), Int64(-31)), (600, -300), (60, -1000)] {
                try await expectRefusal("invalid_client assertion_not_yet_valid") {
                    try await provider.token(try assertion(provider, lifetime: lifetime, age: age))
                }
            }
            // A clock that is ahead by no more than clocks may be.
            let signed = try assertion(provider, lifetime: 600, age: -30)
            try await expectRefusal("accepted") { try await provider.token(signed) }
            let now = provider.service.clock.now + .milliseconds(1)
            _ = try await provider.service.storage.recordRestore(
                by: .login("root"), at: now, keepsSessions: true, reason: nil)
            let another = try assertion(provider, id: "2", lifetime: 600, age: -30)
            try await expectRefusal("invalid_client assertion_replayed") { try await provider.token(another) }
        }
    }

    @Test func `an assertion of an hour is remembered for as long as it could be used`() async throws {
        try await withProvider { provider in
            let signed = try assertion(provider, lifetime: 3600, age: 0)
            try await expectRefusal("accepted") { try await provider.token(signed) }
            provider.service.clock.advance(.seconds(599))
            _ = try await provider.service.storage.purgeUses(
                expiredBefore: provider.service.clock.now, limit: 500)
            try await expectRefusal("invalid_client assertion_replayed") { try await provider.token(signed) }
            provider.service.clock.advance(.seconds(32))
            let forgotten = try await provider.service.storage.purgeUses(
                expiredBefore: provider.service.clock.now, limit: 500)
            #expect(forgotten == 1)
            try await expectRefusal("invalid_client assertion_too_old") { try await provider.token(signed) }
        }
    }

    @Test func `an assertion is remembered through the leeway that its clock is given`() async throws {
        try await withProvider { provider in
            let signed = try assertion(provider, lifetime: 60)
            try await expectRefusal("accepted") { try await provider.token(signed) }
            provider.service.clock.advance(.seconds(89))
            let forgotten = try await provider.service.storage.purgeUses(
                expiredBefore: provider.service.clock.now, limit: 500)
            #expect(forgotten == 0)
            try await expectRefusal("invalid_client assertion_replayed") { try await provider.token(signed) }
            provider.service.clock.advance(.seconds(1))
            try await expectRefusal("invalid_client assertion_expired") { try await provider.token(signed) }
        }
    }

    @Test func `RFC 7523 §3: an assertion is not good before its nbf, give or take half a minute`() async throws {
        try await withProvider { provider in
            let early = try assertion(provider, id: "early", notBefore: 31)
            try await expectRefusal("invalid_client assertion_not_yet_valid") { try await provider.token(early) }
            let inTime = try assertion(provider, id: "in time", notBefore: 30)
            try await expectRefusal("accepted") { try await provider.token(inTime) }
            provider.service.clock.advance(.seconds(1))
            // The refusal has not used it up.
            try await expectRefusal("accepted") { try await provider.token(early) }
        }
    }

    @Test func `a maker is told what is wrong with the times of an assertion, and nothing else`() async throws {
        try await withProvider { provider async throws in
            func told(_ form: [(String, String)]) async throws -> String? {
                do {
                    _ = try await provider.token(form)
                    return nil
                } catch let refused as ClientRefused {
                    return refused.error.publicDescription
                }
            }
            #expect(try await told(try assertion(provider, lifetime: 7200))?.contains("send iat") == true)
            #expect(
                try await told(try assertion(provider, key: SigningKey.generate(.edDSA)))
                    == "client authentication failed")
        }
    }

    @Test func `a public client may send Basic with nothing behind the colon, and a secret not`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant())
            let tokens = try await provider.redeem(code, client: nil, basic: .given(id: "app", secret: Secret("")))
            #expect(tokens.idToken != nil)
            try await expectRefusal("invalid_client wrong_method") {
                try await provider.token(form, basic: .given(id: "app", secret: Secret("x")))
            }
            try await expectRefusal("invalid_client wrong_secret") {
                try await provider.token(form, basic: .given(id: "machine", secret: Secret("")))
            }
        }
    }

    private static let endpoint = "\"\(issuerName)/oauth/token\""
    private static let lists = ["[\"\(issuerName)\"]", "[\"\(issuerName)\", \"https://other.example\"]"]

    @Test(arguments: [endpoint] + lists)
    func `an audience that is not our issuer alone is taken of an old client only, and recorded`(
        audience: String
    ) async throws {
        try await withProvider { provider in
            try await expectRefusal("invalid_client assertion_endpoint_audience") {
                try await provider.token(try assertion(provider, id: "1", audience: audience))
            }
            provider.service.change("signing") { $0.acceptsEndpointAudience = true }
            for id in ["1", "2"] {
                try await expectRefusal("accepted") {
                    try await provider.token(try assertion(provider, id: id, audience: audience))
                }
            }
            try await expectRefusal("invalid_client assertion_audience") {
                try await provider.token(try assertion(provider, id: "3", audience: "\"https://other.example\""))
            }
            let warnings = try await provider.service.events().filter { $0.hasPrefix("client.audience_tolerated") }
            #expect(warnings == ["client.audience_tolerated assertion_endpoint_audience"])
        }
    }

    @Test func `what a client's signature does not cover uses nothing up`() async throws {
        try await withProvider { provider in
            let forged = try assertion(provider, key: SigningKey.generate(.edDSA))
            try await expectRefusal("invalid_client assertion_signature") { try await provider.token(forged) }
            try await expectRefusal("accepted") { try await provider.token(try assertion(provider)) }
        }
    }

    @Test(arguments: ["-1e17", "-1e300", "1e300", "-1", "0", "9223372036854775808", "1e18"])
    func `an expiry beyond all time is refused, and breaks nothing`(expiry: String) async throws {
        try await withProvider { provider in
            func part(_ json: String) -> String { Base64URL.encode(Array(json.utf8)) }
            let claims = #"{"iss":"signing","sub":"signing","aud":"\#(issuerName)","jti":"x","exp":\#(expiry)}"#
            // Signed by nobody: it must be as harmless before the signature is looked at.
            let text = part(#"{"alg":"ES256"}"#) + "." + part(claims) + "." + part("no signature")
            let form = [
                ("grant_type", "client_credentials"), ("client_assertion", text),
                ("client_assertion_type", ClientCredentials.assertionType),
            ]
            let found = try await refusal { try await provider.token(form) }
            #expect(["invalid_client assertion_expired", "invalid_client assertion_too_lasting"].contains(found))
        }
    }

    @Test(
        arguments: ["iat", "nbf"],
        ["-1", "-1e300", "1e300", "253402300800", "9223372036854775808", #""now""#, "null", "true"])
    func `RFC 7519 §2: an assertion with a time that is no instant is malformed`(
        claim: String, json: String
    ) async throws {
        try await withProvider { provider in
            let signed = try assertion(provider, more: [claim: json])
            try await expectRefusal("invalid_client malformed_assertion") { try await provider.token(signed) }
        }
    }

    @Test func `the times of an assertion may have fractions`() async throws {
        try await withProvider { provider in
            let now = provider.service.clock.now.seconds
            for (number, time) in ["\(now + 29).999", "\(now + 30)", "\(now).5"].enumerated() {
                let signed = try assertion(provider, id: "\(number)", more: ["iat": time, "nbf": time])
                try await expectRefusal("accepted") { try await provider.token(signed) }
            }
            for claim in ["iat", "nbf"] {
                let early = try assertion(provider, id: "early \(claim)", more: [claim: "\(now + 30).5"])
                try await expectRefusal("invalid_client assertion_not_yet_valid") { try await provider.token(early) }
            }
        }
    }

    @Test func `an assertion for somebody else, by somebody else, too old or too lasting proves nothing`() async throws
    {
        try await withProvider { provider in
            let cases: [(String, [(String, String)])] = [
                ("assertion_audience", try assertion(provider, audience: "\"https://other.example\"")),
                ("assertion_signature", try assertion(provider, key: SigningKey.generate(.edDSA))),
                ("assertion_expired", try assertion(provider, lifetime: -31)),
                ("assertion_too_lasting", try assertion(provider, lifetime: 601)),
                ("assertion_without_id", try assertion(provider, id: nil)),
                ("assertion_without_id", try assertion(provider, id: "")),
                ("assertion_without_id", try assertion(provider, id: String(repeating: "i", count: 257))),
                ("wrong_method", try assertion(provider, subject: "machine")),
                ("assertion_issuer", try assertion(provider, subject: "machine") + [("client_id", "signing")]),
            ]
            for (flaw, form) in cases {
                try await expectRefusal("invalid_client \(flaw)") { try await provider.token(form) }
            }
        }
    }

    @Test func `an assertion names its client byte by byte`() async throws {
        try await withProvider { provider in
            let clients = provider.service.clients
            let signing = try #require(clients.current["signing"])
            var client = Client(id: "K", name: "A machine that signs", kind: .service)
            client.authenticationMethod = signing.authenticationMethod
            client.scope = signing.scope
            client.keys = signing.keys
            clients.add(client)
            try await expectRefusal("accepted") { try await provider.token(try assertion(provider, subject: "K")) }
            // The sign for kelvins, which Unicode takes for the same letter.
            let alike = try assertion(provider, id: "2", subject: "\u{212A}") + [("client_id", "K")]
            try await expectRefusal("invalid_client assertion_issuer") { try await provider.token(alike) }
        }
    }

    @Test func `a public key used as an HMAC secret and no algorithm at all are refused`() async throws {
        try await withProvider { provider in
            let good = try #require(try assertion(provider).last?.1)
            let parts = good.split(separator: ".").map(String.init)
            for header in [#"{"alg":"none","typ":"JWT"}"#, #"{"alg":"HS256","typ":"JWT"}"#] {
                let forged = Base64URL.encode(Array(header.utf8)) + ".\(parts[1]).\(parts[2])"
                let form =
                    form + [
                        ("client_assertion_type", ClientCredentials.assertionType), ("client_assertion", forged),
                    ]
                try await expectRefusal("invalid_client assertion_signature") { try await provider.token(form) }
            }
        }
    }
}

/// An address of keys that does not answer.
private final class UnreachableKeys: ClientKeySource {
    private let wanted = Mutex<[String?]>([])

    /// The ids of the keys that it was asked for.
    var asked: [String?] { wanted.withLock { $0 } }

    func keys(of client: Client, keyID: String?) throws -> [VerificationKey] {
        wanted.withLock { $0.append(keyID) }
        throw StorageError.unavailable("nobody answers")
    }

    func mustFetchKeys(of client: Client, keyID: String?) -> Bool { keyID != nil }
}

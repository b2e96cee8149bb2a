import Bridge
import Federation
import OAuth2
import Testing

@Suite struct SharedSecretIssuerTests {
    @Test func `a good token names user, app, session and authentication`() async throws {
        let token = TestToken.hmac(
            TestToken.claims([
                "sid": "s1", "auth_time": TestToken.now.seconds - 60, "acr": "urn:loa:2", "amr": ["pwd", "otp"],
            ]))
        let identity = try await issuers(hmacSettings { $0.subjectPrefix = "b:" }).authenticate(token)
        #expect(identity.subject == "b:alice")
        #expect(identity.clientID == "app")
        #expect(identity.issuer == TestToken.issuer)
        #expect(identity.sessionID == "s1")
        #expect(identity.authentication.time == TestToken.now - .seconds(60))
        #expect(identity.authentication.acr == "urn:loa:2")
        #expect(identity.authentication.amr == ["pwd", "otp"])
        #expect(identity.expiresAt == TestToken.now + .seconds(330))
    }

    @Test(
        arguments: [
            ("device_id", "phone", "phone"), ("installation", "phone", nil), ("device_id", "", nil),
        ] as [(String, String, String?)])
    func `the claim that is configured names the device, and a token without one names none`(
        claim: String, value: String, device: String?
    ) async throws {
        let token = TestToken.hmac(TestToken.claims([claim: value]))
        #expect(try await issuers(hmacSettings()).authenticate(token).deviceID == device)
        let identity = try await issuers(hmacSettings { $0.deviceClaim = "installation" }).authenticate(token)
        #expect(identity.deviceID == (claim == "installation" ? value : nil))
    }

    @Test func `groups are believed where the settings name their claim, and only as a list of names`() async throws {
        let token = TestToken.hmac(TestToken.claims(["cognito:groups": ["staff", "b"]]))
        #expect(try await issuers(hmacSettings()).authenticate(token).groups == nil)
        let believing = try await issuers(hmacSettings { $0.groupsClaim = "cognito:groups" })
        #expect(try await believing.authenticate(token).groups?.names == ["staff", "b"])
        let wrong: [any Sendable] = ["staff", ["a", 1] as [any Sendable], ["a", "a"], ["a\u{7}"], [""]]
        for value in wrong {
            let odd = TestToken.hmac(TestToken.claims(["cognito:groups": value]))
            #expect(try await believing.authenticate(odd).groups == UserGroups.none)
        }
        #expect(try await believing.authenticate(TestToken.hmac(TestToken.claims())).groups == UserGroups.none)
    }

    @Test func `optional claims of the wrong type are left out`() async throws {
        let token = TestToken.hmac(
            TestToken.claims(["sid": 7, "auth_time": "yesterday", "acr": ["x"], "amr": ["pwd", 1] as [any Sendable]]))
        let identity = try await issuers(hmacSettings()).authenticate(token)
        #expect(identity.sessionID == nil)
        #expect(identity.authentication == Authentication())
    }

    @Test func `an audience among several is enough`() async throws {
        let token = TestToken.hmac(TestToken.claims(["aud": ["other", "drawbridge"]]))
        try await issuers(hmacSettings()).expectAlice(token)
    }

    struct ClaimCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let token: String
        let refusal: BearerRefusal

        init(_ name: String, _ refusal: BearerRefusal, _ changes: [String: any Sendable], without: Set<String> = []) {
            testDescription = name
            token = TestToken.hmac(TestToken.claims(changes, without: without))
            self.refusal = refusal
        }
    }

    static let now = TestToken.now.seconds

    @Test(arguments: [
        ClaimCase("no issuer", .missing(claim: "iss"), [:], without: ["iss"]),
        ClaimCase("unknown issuer", .unknownIssuer, ["iss": "https://other.example"]),
        ClaimCase("issuer with a slash more", .unknownIssuer, ["iss": "https://backend.example/"]),
        ClaimCase("no audience", .missing(claim: "aud"), [:], without: ["aud"]),
        ClaimCase("wrong audience", .wrongAudience, ["aud": "Drawbridge"]),
        ClaimCase("empty audience list", .wrongAudience, ["aud": [String]()]),
        ClaimCase("audience of the wrong type", .malformed(claim: "aud"), ["aud": 1]),
        ClaimCase("no expiry", .missing(claim: "exp"), [:], without: ["exp"]),
        ClaimCase("expiry as text", .malformed(claim: "exp"), ["exp": "tomorrow"]),
        ClaimCase("expiry beyond all years", .malformed(claim: "exp"), ["exp": 1e18]),
        ClaimCase("expired beyond the leeway", .expired, ["exp": now - 30]),
        ClaimCase("not yet valid", .notYetValid, ["nbf": now + 31]),
        ClaimCase("issued in the future", .notYetValid, ["iat": now + 31]),
        ClaimCase("issue time as text", .malformed(claim: "iat"), ["iat": "now"]),
        ClaimCase("no subject", .missing(claim: "sub"), [:], without: ["sub"]),
        ClaimCase("empty subject", .malformed(claim: "sub"), ["sub": ""]),
        ClaimCase("subject with a line break", .malformed(claim: "sub"), ["sub": "al\nice"]),
        ClaimCase("subject with a line separator", .malformed(claim: "sub"), ["sub": "al\u{2028}ice"]),
        ClaimCase("subject of 256 bytes", .malformed(claim: "sub"), ["sub": String(repeating: "a", count: 256)]),
        ClaimCase("subject as number", .malformed(claim: "sub"), ["sub": 7]),
        ClaimCase("no client", .missing(claim: "client_id"), [:], without: ["client_id"]),
        ClaimCase("client as number", .malformed(claim: "client_id"), ["client_id": 7]),
        ClaimCase("bound to a key", .senderConstrained, ["cnf": ["jkt": "x"]]),
    ])
    func `a token with bad claims is refused`(_ item: ClaimCase) async throws {
        await (try issuers(hmacSettings())).expect(item.refusal, of: item.token)
    }

    @Test(arguments: [(0, -1, true), (0, 0, false), (30, 29, true), (30, 30, false)])
    func `a token is refused from its expiry plus leeway on`(leeway: Int, age: Int64, isGood: Bool) async throws {
        let token = TestToken.hmac(TestToken.claims(["exp": Self.now - age]))
        let issuers = try await issuers(hmacSettings { $0.leeway = .seconds(leeway) })
        if isGood {
            #expect(try await issuers.authenticate(token).expiresAt > TestToken.now)
        } else {
            await issuers.expect(.expired, of: token)
        }
    }

    @Test(arguments: ["login+jwt", "LOGIN+JWT", "application/login+jwt", "dpop+jwt", "logout+jwt"])
    func `a token made for something else is refused`(type: String) async throws {
        let token = TestToken.hmac(header: ["alg": "HS256", "typ": type])
        await (try issuers(hmacSettings())).expect(.wrongType, of: token)
    }

    @Test(arguments: ["none", "None", "nOnE", "RS256", "HS384", "ES256", "hs256", ""])
    func `another algorithm is refused`(algorithm: String) async throws {
        let token = TestToken.hmac(header: ["alg": algorithm])
        await (try issuers(hmacSettings())).expect(.wrongAlgorithm, of: token)
    }

    @Test func `a token without signature is refused`() async throws {
        let token = TestToken.unsigned(header: ["alg": "HS256"], claims: TestToken.claims()) + "."
        await (try issuers(hmacSettings())).expect(.badSignature, of: token)
    }

    @Test func `another secret is refused`() async throws {
        let token = TestToken.hmac(secret: Array("another secret, just as long as it must be".utf8))
        await (try issuers(hmacSettings())).expect(.badSignature, of: token)
    }

    @Test(arguments: [
        ["alg": "HS256", "crit": ["exp"]] as [String: any Sendable], ["alg": "HS256", "b64": false],
        ["alg": "HS256", "kid": 1], ["alg": "HS256", "typ": true], ["alg": 256], [:],
    ])
    func `a malformed header is refused`(header: [String: any Sendable]) async throws {
        await (try issuers(hmacSettings())).expect(.malformed, of: TestToken.hmac(header: header))
    }

    @Test(arguments: ["", ".", "..", "a.b", "a.b.c", "a.b.c.d", "{}.{}.x"])
    func `what is no token is refused`(text: String) async throws {
        await (try issuers(hmacSettings())).expect(.malformed, of: text)
    }

    @Test func `padding, white space and a fourth part are refused`() async throws {
        let token = TestToken.hmac()
        let issuers = try await issuers(hmacSettings())
        for other in [token + "=", " " + token, token + "\n", token + ".", token + ".e30"] {
            await issuers.expect(.malformed, of: other)
        }
    }

    @Test func `a header with a member twice is refused`() async throws {
        let input =
            Base64URL.encode(Array(#"{"alg":"none","alg":"HS256"}"#.utf8)) + "."
            + Base64URL.encode(TestToken.json(TestToken.claims()))
        await (try issuers(hmacSettings())).expect(.malformed, of: input + ".AAAA")
    }

    @Test func `a token beyond the length is refused`() async throws {
        let token = TestToken.hmac(TestToken.claims(["pad": String(repeating: "x", count: 8192)]))
        await (try issuers(hmacSettings())).expect(.malformed, of: token)
    }

    @Test(arguments: [(nil, true), ("demo", true), ("other", false)] as [(String?, Bool)])
    func `a configured kid must match when the token has one`(keyID: String?, isGood: Bool) async throws {
        var header: [String: any Sendable] = ["alg": "HS256"]
        header["kid"] = keyID
        let token = TestToken.hmac(header: header)
        let issuers = try await issuers(
            hmacSettings {
                $0.verification = .hmac(secret: Secret(TestToken.hmacSecret), keyID: "demo", algorithm: .hs256)
            })
        if isGood {
            try await issuers.expectAlice(token)
        } else {
            await issuers.expect(.unknownKey, of: token)
        }
    }

    @Test func `a reload takes a new secret, and keeps the old one when its file is broken`() async throws {
        let new = Array("another secret, just as long as it must be".utf8)
        let file = Reloadable<[UInt8]?>(new)
        let issuers = try await issuers(
            hmacSettings {
                $0.verification = .hmac(
                    secret: Secret(TestToken.hmacSecret), keyID: nil, algorithm: .hs256,
                    reread: {
                        guard let bytes = file.current else {
                            throw TrustedIssuerError(field: "hmac.secret_file", text: "does not exist")
                        }
                        return Secret(bytes)
                    })
            })
        try await issuers.expectAlice(TestToken.hmac())
        try await issuers.reload()
        try await issuers.expectAlice(TestToken.hmac(secret: new))
        await issuers.expect(.badSignature, of: TestToken.hmac())
        let broken: [[UInt8]?] = [nil, Array("short".utf8)]
        for content in broken {
            file.replace(with: content)
            let thrown = await #expect(throws: TrustedIssuerProblems.self) { try await issuers.reload() }
            #expect(thrown?.problems.map(\.issuer) == [TestToken.issuer])
            try await issuers.expectAlice(TestToken.hmac(secret: new))
        }
    }

    @Test func `an issuer speaks for the clients that are listed`() async throws {
        let issuers = try await issuers(hmacSettings { $0.clients = ["app"] })
        try await issuers.expectAlice(TestToken.hmac())
        await issuers.expect(
            .clientOfAnotherIssuer, of: TestToken.hmac(TestToken.claims(["client_id": "another"])))
    }

    @Test func `RFC 9068 §5: nobody is named as a client that acts for itself`() async throws {
        await (try issuers(hmacSettings())).expect(
            .subjectOfAnotherIssuer, of: TestToken.hmac(TestToken.claims(["sub": "client:machine"])))
    }

    @Test(
        arguments: [
            (-3600, -3600), (-10, -10), (0, -10), (30, -10), (31, nil), (86_400, nil),
        ] as [(Int64, Int64?)])
    func `a sign-in is never newer than the token that tells of it`(claimed: Int64, found: Int64?) async throws {
        let now = TestToken.now
        let issuers = try await issuers(hmacSettings())
        let token = TestToken.hmac(TestToken.claims(["auth_time": now.seconds + claimed]))
        guard let found else { return await issuers.expect(.notYetValid, of: token) }
        #expect(try await issuers.authenticate(token).authentication.time == now + .seconds(found))
    }

    @Test(
        arguments: [
            (-10, 86_390, true), (-10, 86_391, false), (nil, 86_400, true), (nil, 86_401, false),
            (-86_000, 401, false), (-86_000, 400, true),
        ] as [(Int64?, Int64, Bool)])
    func `a token lives for a day at most`(issued: Int64?, ends: Int64, isGood: Bool) async throws {
        let now = TestToken.now.seconds
        var claims = TestToken.claims(["exp": now + ends], without: ["iat"])
        if let issued { claims["iat"] = now + issued }
        let issuers = try await issuers(hmacSettings())
        if isGood {
            try await issuers.expectAlice(TestToken.hmac(claims))
        } else {
            await issuers.expect(.livesTooLong, of: TestToken.hmac(claims))
        }
    }

    @Test func `how long tokens may live is the operator's to say`() async throws {
        let issuers = try await issuers(hmacSettings { $0.maximumTokenLifetime = .seconds(300) })
        await issuers.expect(.livesTooLong, of: TestToken.hmac())
    }

    @Test func `a verified token is looked at again within half a minute`() async throws {
        let identity = try await issuers(hmacSettings()).authenticate(TestToken.hmac())
        #expect(identity.cacheableUntil == TestToken.now + .seconds(30))
        #expect(identity.expiresAt > identity.cacheableUntil)
    }

    @Test(arguments: [(false, BearerIdentity.Authority.trusted), (true, .trustedWithAccounts)])
    func `whom an issuer may name stands with its tokens`(
        shares: Bool, authority: BearerIdentity.Authority
    ) async throws {
        let issuers = try await issuers(hmacSettings { $0.sharesSubjectsWithAccounts = shares })
        #expect(try await issuers.authenticate(TestToken.hmac()).authority == authority)
    }

    @Test func `claims are mapped by configuration`() async throws {
        let token = TestToken.hmac(
            TestToken.claims(["uid": "u1", "azp": "phone"], without: ["sub", "client_id"]))
        let mapped = hmacSettings {
            $0.subjectClaim = "uid"
            $0.fallbackClientClaim = "azp"
        }
        let identity = try await issuers(mapped).authenticate(token)
        #expect(identity.subject == "u1")
        #expect(identity.clientID == "phone")
    }

    @Test func `a claim at fault is named as the settings name it`() async throws {
        let issuers = try await issuers(
            hmacSettings {
                $0.subjectClaim = "uid"
                $0.fallbackClientClaim = "azp"
            })
        await issuers.expect(.missing(claim: "uid"), of: TestToken.hmac())
        await issuers.expect(.malformed(claim: "uid"), of: TestToken.hmac(TestToken.claims(["uid": ""])))
        await issuers.expect(
            .missing(claim: "client_id"), of: TestToken.hmac(TestToken.claims(without: ["client_id"])))
        await issuers.expect(
            .malformed(claim: "azp"), of: TestToken.hmac(TestToken.claims(["azp": 7], without: ["client_id"])))
    }
}

import Bridge
import Federation
import Testing

@Suite struct TrustedIssuerSettingsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: String?
        let settings: [TrustedIssuerSettings]

        init(_ name: String, _ field: String?, _ change: (inout TrustedIssuerSettings) -> Void) {
            testDescription = name
            self.field = field
            settings = [hmacSettings(change)]
        }

        init(_ name: String, _ field: String?, prefixes: [String], issuers: [String] = ["https://a", "https://b"]) {
            testDescription = name
            self.field = field
            settings = zip(prefixes, issuers).map { prefix, issuer in
                hmacSettings {
                    $0.subjectPrefix = prefix
                    $0.issuer = issuer
                }
            }
        }
    }

    static let short = Secret([UInt8](repeating: 1, count: 31))

    @Test(arguments: [
        Case("one issuer needs no prefix", nil) { _ in },
        Case("no audience", "audiences") { $0.audiences = [] },
        Case("empty issuer", "issuer") { $0.issuer = "" },
        Case("too much leeway", "leeway") { $0.leeway = .seconds(61) },
        Case("tiny tokens", "max_token_length") { $0.maximumTokenLength = 100 },
        Case("short secret", "hmac_secret") {
            $0.verification = .hmac(secret: short, keyID: nil, algorithm: .hs256)
        },
        Case("short secret for HS512", "hmac_secret") {
            $0.verification = .hmac(secret: Secret(TestToken.hmacSecret), keyID: nil, algorithm: .hs512)
        },
        Case("secret with a public-key algorithm", "algorithm") {
            $0.verification = .hmac(secret: Secret(TestToken.hmacSecret), keyID: nil, algorithm: .rs256)
        },
        Case("HMAC among the algorithms of a key set", "algorithms") {
            $0.verification = .jwksURL("https://a.example/jwks")
            $0.algorithms = [.rs256, .hs256]
        },
        Case("no algorithm", "algorithms") {
            $0.verification = .discovery
            $0.algorithms = []
        },
        Case("plain http", "jwks_url") { $0.verification = .jwksURL("http://a.example/jwks") },
        Case("http on loopback", nil) { $0.verification = .jwksURL("http://127.0.0.1:8081/jwks") },
        Case("URL with a user", "jwks_url") { $0.verification = .jwksURL("https://u:p@a.example/jwks") },
        Case("URL with a fragment", "jwks_url") { $0.verification = .jwksURL("https://a.example/jwks#x") },
        Case("discovery without a URL", "issuer") {
            $0.issuer = "backend"
            $0.verification = .discovery
        },
        Case("discovery with a query", "issuer") {
            $0.issuer = "https://a.example/?t=1"
            $0.verification = .discovery
        },
        Case("introspection without credentials", "introspection_client_id") {
            $0.verification = .introspection(
                endpoint: "https://a.example/introspect", clientID: "", clientSecret: Secret("s"))
        },
        Case("introspection over http", "introspection_endpoint") {
            $0.verification = .introspection(
                endpoint: "http://a.example/introspect", clientID: "c", clientSecret: Secret("s"))
        },
        Case("two issuers, a prefix each", nil, prefixes: ["a:", "b:"]),
        Case("two issuers, one without prefix", "subject_prefix", prefixes: ["a:", ""]),
        Case("two issuers, the same prefix", "subject_prefix", prefixes: ["a:", "a:"]),
        Case("two issuers, one prefix begins the other", "subject_prefix", prefixes: ["a", "ab"]),
        Case("one issuer twice", "issuer", prefixes: ["a:", "b:"], issuers: ["https://a", "https://a"]),
        Case("prefix with a space", "subject_prefix") { $0.subjectPrefix = "a b" },
    ])
    func `settings are checked`(_ item: Case) {
        let fields = Set(TrustedIssuerSettings.problems(in: item.settings).map(\.field))
        #expect(fields == Set([item.field].compactMap(\.self)))
    }

    @Test func `two introspection endpoints are refused`() {
        let settings = ["a", "b"].map { name in
            hmacSettings {
                $0.issuer = name
                $0.subjectPrefix = name
                $0.verification = .introspection(
                    endpoint: "https://\(name).example", clientID: "c", clientSecret: Secret("s"))
            }
        }
        #expect(TrustedIssuerSettings.problems(in: settings).map(\.field) == ["introspection"])
    }

    @Test func `all problems are thrown at once, without secrets`() async throws {
        let secret = Secret(Array("hunter2".utf8))
        let settings = hmacSettings {
            $0.audiences = []
            $0.verification = .hmac(secret: secret, keyID: nil, algorithm: .hs256)
        }
        let thrown = await #expect(throws: TrustedIssuerProblems.self) { try await issuers(settings) }
        let problems = try #require(thrown)
        #expect(problems.problems.count == 2)
        #expect(!problems.description.contains("hunter2"))
        #expect(problems.description.contains("trusted_issuers[https://backend.example].audiences"))
    }
}

import Bridge
import Federation
import OAuth2
import Testing

@Suite struct TrustedIssuerSettingsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: String?
        let settings: [TrustedIssuerSettings]
        var own = OwnIssuer.none

        init(_ name: String, _ field: String?, _ change: (inout TrustedIssuerSettings) -> Void) {
            testDescription = name
            self.field = field
            settings = [hmacSettings(change)]
        }

        /// Beside accounts, at `https://bridge.example`.
        static func besideAccounts(
            _ name: String, _ field: String?, _ change: (inout TrustedIssuerSettings) -> Void
        ) -> Case {
            var item = Case(name, field, change)
            item.own = OwnIssuer(name: "https://bridge.example", signsUsersIn: true)
            return item
        }

        init(_ name: String, _ field: String?, prefixes: [String], issuers: [String] = ["https://a", "https://b"]) {
            testDescription = name
            self.field = field
            settings = zip(prefixes, issuers).map { prefix, issuer in
                hmacSettings {
                    $0.subjectPrefix = prefix
                    $0.issuer = issuer
                    $0.clients = ["app"]
                }
            }
        }
    }

    static let short = Secret([UInt8](repeating: 1, count: 31))

    @Test(arguments: [
        Case("one issuer needs no prefix", nil) { _ in },
        Case("no audience", "audience") { $0.audiences = [] },
        Case("empty issuer", "issuer") { $0.issuer = "" },
        Case("too much leeway", "leeway") { $0.leeway = .seconds(61) },
        Case("short secret", "hmac.secret_file") {
            $0.verification = .hmac(secret: short, keyID: nil, algorithm: .hs256)
        },
        Case("short secret for HS512", "hmac.secret_file") {
            $0.verification = .hmac(secret: Secret(TestToken.hmacSecret), keyID: nil, algorithm: .hs512)
        },
        Case("secret with a public-key algorithm", "hmac.algorithm") {
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
        Case("plain http", "jwks_uri") { $0.verification = .jwksURL("http://a.example/jwks") },
        Case("http on loopback", nil) { $0.verification = .jwksURL("http://127.0.0.1:8081/jwks") },
        Case("URL with a user", "jwks_uri") { $0.verification = .jwksURL("https://u:p@a.example/jwks") },
        Case("URL with a fragment", "jwks_uri") { $0.verification = .jwksURL("https://a.example/jwks#x") },
        Case("discovery without a URL", "issuer") {
            $0.issuer = "backend"
            $0.verification = .discovery
        },
        Case("discovery with a query", "issuer") {
            $0.issuer = "https://a.example/?t=1"
            $0.verification = .discovery
        },
        Case("introspection without credentials", "introspection.client_id") {
            $0.verification = .introspection(
                endpoint: "https://a.example/introspect", clientID: "", clientSecret: Secret("s"))
        },
        Case("introspection with an empty secret", "introspection.client_secret_file") {
            $0.verification = .introspection(
                endpoint: "https://a.example/introspect", clientID: "c", clientSecret: Secret(""))
        },
        Case("introspection over http", "introspection.endpoint") {
            $0.verification = .introspection(
                endpoint: "http://a.example/introspect", clientID: "c", clientSecret: Secret("s"))
        },
        Case("two issuers, a prefix each", nil, prefixes: ["a:", "b:"]),
        Case("two issuers, one without prefix", "subject_prefix", prefixes: ["a:", ""]),
        Case("two issuers, the same prefix", "subject_prefix", prefixes: ["a:", "a:"]),
        Case("two issuers, one prefix begins the other", "subject_prefix", prefixes: ["a", "ab"]),
        Case("one issuer twice", "issuer", prefixes: ["a:", "b:"], issuers: ["https://a", "https://a"]),
        Case("prefix with a space", "subject_prefix") { $0.subjectPrefix = "a b" },
        Case("prefix of clients", "subject_prefix") { $0.subjectPrefix = "client:x:" },
        Case("no client at all", "clients") { $0.clients = [] },
        Case("lives that are no limit", "max_token_lifetime") { $0.maximumTokenLifetime = .seconds(367 * 86_400) },
        Case("no lives at all", "max_token_lifetime") { $0.maximumTokenLifetime = .zero },
        Case("the issuer that stands for accounts", "issuer") { $0.issuer = Account.issuer },
        .besideAccounts("without a prefix", "subject_prefix") { _ in },
        .besideAccounts("with a prefix", nil) { $0.subjectPrefix = "backend:" },
        .besideAccounts("a prefix that an account's subject may begin with", "subject_prefix") {
            $0.subjectPrefix = "n6"
        },
        .besideAccounts("sharing its subjects with them", nil) { $0.sharesSubjectsWithAccounts = true },
        .besideAccounts("sharing behind a prefix", "shares_subjects_with_accounts") {
            $0.sharesSubjectsWithAccounts = true
            $0.subjectPrefix = "backend:"
        },
        .besideAccounts("its own name", "issuer") {
            $0.issuer = "https://bridge.example"
            $0.subjectPrefix = "backend:"
        },
    ])
    func `settings are checked`(_ item: Case) {
        let fields = Set(TrustedIssuerSettings.problems(in: item.settings, beside: item.own).map(\.field))
        #expect(fields == Set([item.field].compactMap(\.self)))
    }

    @Test func `two introspection endpoints are refused`() {
        let settings = ["a", "b"].map { name in
            hmacSettings {
                $0.issuer = name
                $0.subjectPrefix = name
                $0.clients = ["app"]
                $0.verification = .introspection(
                    endpoint: "https://\(name).example", clientID: "c", clientSecret: Secret("s"))
            }
        }
        #expect(TrustedIssuerSettings.problems(in: settings).map(\.field) == ["introspection"])
    }

    @Test func `each of two issuers says which clients it speaks for`() {
        let settings = ["a:", "b:"].map { prefix in
            hmacSettings {
                $0.issuer = prefix
                $0.subjectPrefix = prefix
            }
        }
        #expect(TrustedIssuerSettings.problems(in: settings).map(\.field) == ["clients", "clients"])
    }

    @Test func `one that shares its subjects with accounts can have no other beside it`() {
        var sharing = hmacSettings { $0.sharesSubjectsWithAccounts = true }
        var other = hmacSettings {
            $0.issuer = "https://other.example"
            $0.subjectPrefix = "other:"
        }
        sharing.clients = ["app"]
        other.clients = ["app"]
        let own = OwnIssuer(name: nil, signsUsersIn: true)
        #expect(
            TrustedIssuerSettings.problems(in: [sharing, other], beside: own).map(\.field) == ["subject_prefix"])
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
        #expect(problems.description.contains("trusted_issuers[https://backend.example].audience:"))
    }
}

import Bridge
import OAuth2
import Testing

/// The order of checks at the authorization endpoint: docs/rules/authorization-request.md A1 to A9.
@Suite struct AuthorizationOrderTests {
    /// Where a request ends.
    enum End: Hashable, Sendable {
        case page(AuthorizationRefusal.Reason)
        case redirect(String)
        case good
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let why: String
        let query: String
        let end: End
        var testDescription: String { why }
    }

    private static let good =
        "response_type=code&client_id=native&redirect_uri=com.example.app%3A%2Fcallback&scope=openid&state=s"
        + "&code_challenge=\(AuthorizationFixture.challenge)&code_challenge_method=S256"
    private static let ours = PercentEncoding.encode(issuerName)
    private static let noClient = good.replacing("&client_id=native", with: "")

    static let rows: [Row] = [
        Row(why: "a good request", query: good, end: .good),
        Row(why: "an unknown parameter", query: good + "&extra=foobar", end: .good),
        Row(why: "a repeated client", query: good + "&client_id=native", end: .page(.repeatedParameter)),
        Row(why: "a repeated redirect", query: good + "&redirect_uri=x", end: .page(.repeatedParameter)),
        Row(
            why: "a repeated request_uri", query: good + "&request_uri=a&request_uri=b", end: .page(.repeatedParameter)),
        Row(
            why: "repetition comes before the missing client", query: noClient + "&redirect_uri=x",
            end: .page(.repeatedParameter)),
        Row(why: "no client", query: noClient, end: .page(.missingClient)),
        Row(why: "an empty client", query: noClient + "&client_id=", end: .page(.missingClient)),
        Row(why: "an unknown client", query: noClient + "&client_id=nobody", end: .page(.unknownClient)),
        Row(
            why: "no redirect", query: good.replacing("&redirect_uri=com.example.app%3A%2Fcallback", with: ""),
            end: .page(.missingRedirect)),
        Row(why: "another redirect", query: good.replacing("callback", with: "cb"), end: .page(.unregisteredRedirect)),
        Row(
            why: "the redirect is judged before a repeated parameter",
            query: good.replacing("callback", with: "cb") + "&state=t", end: .page(.unregisteredRedirect)),
        Row(why: "a repeated other parameter", query: good + "&scope=email", end: .redirect("invalid_request")),
        Row(
            why: "a repeated parameter comes before a foreign request_uri",
            query: good + "&scope=email&request_uri=https%3A%2F%2Fx", end: .redirect("invalid_request")),
        Row(
            why: "a repeated parameter that nobody knows", query: good + "&extra=1&extra=2",
            end: .redirect("invalid_request")),
        Row(
            why: "the redirect is judged before a repeated parameter that nobody knows",
            query: good.replacing("callback", with: "cb") + "&extra=1&extra=2", end: .page(.unregisteredRedirect)),
        Row(
            why: "a resource may come twice", query: good + "&resource=\(ours)&resource=\(ours)&resource=", end: .good),
        Row(why: "a resource elsewhere", query: good + "&resource=https%3A%2F%2Fa", end: .redirect("invalid_target")),
        Row(
            why: "a second resource elsewhere", query: good + "&resource=\(ours)&resource=https%3A%2F%2Fa",
            end: .redirect("invalid_target")),
        Row(
            why: "the resource comes before PKCE",
            query: good.replacing("=S256", with: "=plain") + "&resource=https%3A%2F%2Fa",
            end: .redirect("invalid_target")),
        Row(why: "a wish that is not UTF-8", query: good + "&login_hint=%ff", end: .good),
        Row(
            why: "a wish that is not UTF-8 before what is no wish", query: good + "&login_hint=%ff&claims=%ff",
            end: .redirect("invalid_request")),
        Row(
            why: "a foreign request_uri", query: good + "&request_uri=https%3A%2F%2Fx",
            end: .redirect("request_uri_not_supported")),
        Row(
            why: "a foreign request_uri without a good redirect",
            query: good.replacing("callback", with: "cb") + "&request_uri=https%3A%2F%2Fx",
            end: .page(.unregisteredRedirect)),
        Row(why: "a request object", query: good + "&request=eyJ", end: .redirect("request_not_supported")),
        Row(why: "a registration", query: good + "&registration=%7B%7D", end: .redirect("registration_not_supported")),
        Row(why: "a fragment as response mode", query: good + "&response_mode=fragment", end: .page(.responseMode)),
        Row(
            why: "the response mode comes before the response type",
            query: good.replacing("=code&", with: "=token&") + "&response_mode=fragment", end: .page(.responseMode)),
        Row(why: "the response mode that is meant anyway", query: good + "&response_mode=query", end: .good),
        Row(why: "a form for an app's own scheme", query: good + "&response_mode=form_post", end: .page(.responseMode)),
        Row(
            why: "a form for a web address",
            query: good.replacing("com.example.app%3A%2F", with: "http%3A%2F%2F127.0.0.1%2F")
                + "&response_mode=form_post", end: .good),
        Row(
            why: "no response type", query: good.replacing("response_type=code&", with: ""),
            end: .redirect("invalid_request")),
        Row(
            why: "implicit", query: good.replacing("=code&", with: "=token&"),
            end: .redirect("unsupported_response_type")),
        Row(
            why: "hybrid", query: good.replacing("=code&", with: "=code+id_token&"),
            end: .redirect("unsupported_response_type")),
        Row(
            why: "the response type comes before the scope",
            query: good.replacing("=code&", with: "=token&").replacing("openid", with: "%22"),
            end: .redirect("unsupported_response_type")),
        Row(why: "a malformed scope", query: good.replacing("openid", with: "a%22b"), end: .redirect("invalid_scope")),
        Row(
            why: "two spaces in the scope", query: good.replacing("openid", with: "openid++email"),
            end: .redirect("invalid_scope")),
        Row(why: "no known scope", query: good.replacing("openid", with: "fly"), end: .redirect("invalid_scope")),
        Row(
            why: "an unknown scope beside a known one", query: good.replacing("openid", with: "openid+fly"), end: .good),
        Row(
            why: "device_sso without the right", query: good.replacing("openid", with: "device_sso"),
            end: .redirect("invalid_scope")),
        Row(
            why: "the scope comes before PKCE",
            query: good.replacing("openid", with: "fly").replacing("&code_challenge_method=S256", with: ""),
            end: .redirect("invalid_scope")),
        Row(
            why: "no challenge",
            query: good.replacing(
                "&code_challenge=\(AuthorizationFixture.challenge)&code_challenge_method=S256", with: ""),
            end: .redirect("invalid_request")),
        Row(
            why: "no challenge method, which means plain",
            query: good.replacing("&code_challenge_method=S256", with: ""),
            end: .redirect("invalid_request")),
        Row(why: "plain", query: good.replacing("=S256", with: "=plain"), end: .redirect("invalid_request")),
        Row(
            why: "a short challenge", query: good.replacing(AuthorizationFixture.challenge, with: "short"),
            end: .redirect("invalid_request")),
        Row(
            why: "PKCE comes before prompt", query: good.replacing("=S256", with: "=plain") + "&prompt=none+login",
            end: .redirect("invalid_request")),
        Row(why: "prompt none with another", query: good + "&prompt=none+login", end: .redirect("invalid_request")),
        Row(why: "an unknown prompt", query: good + "&prompt=create", end: .good),
        Row(why: "a negative max_age", query: good + "&max_age=-1", end: .redirect("invalid_request")),
        Row(why: "a max_age that is no number", query: good + "&max_age=1.5", end: .redirect("invalid_request")),
        Row(why: "max_age", query: good + "&max_age=10000", end: .good),
        Row(why: "broken claims", query: good + "&claims=%7B", end: .redirect("invalid_request")),
        Row(
            why: "claims",
            query: good + "&claims=%7B%22userinfo%22%3A%7B%22name%22%3A%7B%22essential%22%3Atrue%7D%7D%7D",
            end: .good),
        Row(
            why: "a nonce of 513 bytes", query: good + "&nonce=" + String(repeating: "n", count: 513),
            end: .redirect("invalid_request")),
        Row(why: "a nonce with a zero byte", query: good + "&nonce=a%00b", end: .redirect("invalid_request")),
        Row(why: "a nonce of 512 bytes", query: good + "&nonce=" + String(repeating: "n", count: 512), end: .good),
        Row(
            why: "a state of 4097 bytes",
            query: good.replacing("state=s", with: "state=" + String(repeating: "s", count: 4097)),
            end: .redirect("invalid_request")),
        Row(why: "a foreign hint", query: good + "&id_token_hint=eyJ.x.y", end: .redirect("invalid_request")),
        Row(why: "our hint", query: good + "&id_token_hint=" + AuthorizationFixture.ownHint, end: .good),
        Row(why: "a short dpop_jkt", query: good + "&dpop_jkt=abc", end: .redirect("invalid_request")),
        Row(
            why: "what never causes an error",
            query: good + "&display=popup&ui_locales=xx&claims_locales=yy&acr_values=9&login_hint=alice", end: .good),
    ]

    @Test(arguments: rows)
    func `a request ends where its first fault is`(row: Row) throws {
        let result = try AuthorizationFixture.reader().read(FormParameters(parsing: row.query.utf8))
        let end: End =
            switch result {
            case .success: .good
            case .failure(.page(_, let problem)): .page(problem)
            case .failure(.redirect(_, let code, _)): .redirect(code.rawValue)
            }
        #expect(end == row.end)
    }

    @Test func `an error goes to the redirect that was asked for, with state and iss`() throws {
        let form = try AuthorizationFixture.form(["scope": "fly", "redirect_uri": "http://127.0.0.1:51004/callback"])
        guard case .failure(.redirect(let answer, let code, let text)) = try AuthorizationFixture.reader().read(form)
        else {
            Issue.record("not a redirect")
            return
        }
        guard case .redirect(let location) = answer.outcome(of: code, text, issuer: "https://id.example") else {
            Issue.record("not by the query")
            return
        }
        #expect(location.hasPrefix("http://127.0.0.1:51004/callback?error=invalid_scope&error_description="))
        #expect(location.hasSuffix("&state=s-1&iss=https%3A%2F%2Fid.example"))
    }

    @Test func `state comes back byte for byte, and a registered query stays`() throws {
        let state = "a b&c=d/ü\"<>%"
        let request = try AuthorizationFixture.request([
            "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a", "state": state,
        ])
        guard
            case .redirect(let location) = request.answer.outcome(
                [(name: "code", value: "x")], issuer: "https://id.example")
        else {
            Issue.record("not by the query")
            return
        }
        #expect(location.hasPrefix("https://site.example/cb?tenant=a&code=x&state="))
        let query = location.drop { $0 != "?" }.dropFirst()
        let parameters = try FormParameters(parsing: query.utf8)
        #expect(parameters["state"] == state)
    }

    @Test func `an answer in a form has every parameter in it, and its address is the one that was asked for`() throws {
        let request = try AuthorizationFixture.request([
            "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a", "state": "s\"<>",
            "response_mode": "form_post",
        ])
        guard
            case .post(let uri, let fields) = request.answer.outcome(
                [(name: "code", value: "x")], issuer: "https://id.example")
        else {
            Issue.record("not in a form")
            return
        }
        #expect(uri == "https://site.example/cb?tenant=a")
        #expect(fields.map(\.name) == ["code", "state", "iss"])
        #expect(fields.map(\.value) == ["x", "s\"<>", "https://id.example"])
    }

    @Test(arguments: ["scope=fly", "prompt=none+login", "scope=openid&scope=email"])
    func `an error goes by a form where the answer would`(fault: String) throws {
        let form = try FormParameters(
            parsing: ("client_id=native&response_type=code&response_mode=form_post&state=s&\(fault)"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A7%2Fcallback&code_challenge_method=S256"
                + "&code_challenge=\(AuthorizationFixture.challenge)").utf8)
        guard case .failure(.redirect(let answer, let code, let text)) = try AuthorizationFixture.reader().read(form),
            case .post(let uri, let fields) = answer.outcome(of: code, text, issuer: "https://id.example")
        else {
            Issue.record("not in a form")
            return
        }
        #expect(uri == "http://127.0.0.1:7/callback")
        #expect(fields.map(\.name) == ["error", "error_description", "state", "iss"])
    }

    @Test func `a state that is given twice is not echoed`() throws {
        let form = try FormParameters(
            parsing: "client_id=native&redirect_uri=com.example.app%3A%2Fcallback&state=a&state=b".utf8)
        guard case .failure(.redirect(let answer, _, _)) = try AuthorizationFixture.reader().read(form) else {
            Issue.record("not a redirect")
            return
        }
        #expect(answer.state == nil)
    }

    @Test(
        arguments: [
            ("a public client", nil, "code challenge required"),
            ("a website that must", true, "code challenge required"),
            ("a website that may", false, "code_challenge is missing"),
        ] as [(String, Bool?, String)])
    func `a challenge that is required is missed before its method is looked at, A8`(
        who: String, websiteMust: Bool?, expected: String
    ) throws {
        let clients = try [
            AuthorizationFixture.native(), AuthorizationFixture.website { $0.requiresPKCE = websiteMust ?? false },
        ]
        let asked: KeyValuePairs<String, String?> =
            websiteMust == nil
            ? ["code_challenge": nil]
            : ["code_challenge": nil, "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a"]
        let reading = try AuthorizationFixture.reader(clients).read(AuthorizationFixture.form(asked))
        guard case .failure(.redirect(_, let code, let text)) = reading else {
            Issue.record("not a redirect")
            return
        }
        #expect(code == .invalidRequest)
        #expect(text == expected)
    }

    @Test func `what repeats a parameter besides a pushed request is refused as well, A4`() throws {
        let outer = try FormParameters(
            parsing: "client_id=native&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Ax&a=1&a=2".utf8)
        let reading = try AuthorizationFixture.reader().read(outer, pushed: .found(AuthorizationFixture.form()))
        guard case .failure(.redirect(_, let code, _)) = reading else {
            Issue.record("not a redirect")
            return
        }
        #expect(code == .invalidRequest)
    }

    @Test func `of a pushed request only what was pushed counts`() throws {
        let outer = try AuthorizationFixture.form(["scope": "fly", "redirect_uri": "https://evil.example/"])
        let inner = try AuthorizationFixture.form(["scope": "openid email"])
        let request = try AuthorizationFixture.reader().read(outer, pushed: .found(inner)).get()
        #expect(request.scope.tokens == ["openid", "email"])
        #expect(request.redirectURI == AuthorizationFixture.privateUse)
    }

    @Test func `OpenID Connect Core §11: access that outlives the sign-in is granted to who can refresh`() throws {
        let site: KeyValuePairs<String, String?> = [
            "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a", "scope": "openid offline_access",
        ]
        let bare = try AuthorizationFixture.request(site, client: AuthorizationFixture.website())
        #expect(bare.scope.tokens == ["openid"])
        let refreshing = try AuthorizationFixture.website { $0.grantTypes.insert(.refreshToken) }
        #expect(
            try AuthorizationFixture.request(site, client: refreshing).scope.tokens == ["openid", "offline_access"])
    }
}

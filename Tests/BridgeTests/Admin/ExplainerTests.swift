import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct ExplainerTests {
    private func explainer(_ service: Service) throws -> Explainer {
        let origin = try #require(WebOrigin("https://bridge.example"))
        let time = service.clock.source
        return Explainer(
            codec: LoginTokenCodec(issuer: origin.description, keys: service.keys), clients: service.clients,
            subjects: service.storage, store: service.storage,
            parents: ParentSessions(store: service.storage, sessions: service.appSessions, time: time),
            publicOrigin: origin, time: time)
    }

    /// Explains a redemption, and makes sure that asking has changed nothing.
    private func explain(
        _ token: Secret<String>, _ service: Service, redirect: String? = nil, from address: String? = "203.0.113.7"
    ) async throws -> Explanation {
        let before = try await service.events()
        let explanation = try await explainer(service).redemption(
            token, redirect: redirect.map { Array($0.utf8) }, address: address.flatMap { NetworkAddress($0) })
        #expect(try await service.events() == before)
        return explanation
    }

    @Test(arguments: [
        ("/account/7", true, "https://bridge.example/account/7"), ("/admin", false, "https://bridge.example/contacts"),
        ("https://evil.example/", false, "https://bridge.example/contacts"),
    ])
    func `contract §13: a redirect is allowed or not, and lands somewhere`(
        redirect: String, passes: Bool, landing: String
    ) async throws {
        try await withService { service in
            let explanation = try explainer(service).redirect(Array(redirect.utf8), client: website)
            #expect(explanation.passes == passes)
            #expect(explanation.steps.last == .init(check: "lands on", outcome: landing))
            #expect(explanation.rule == (passes ? "/account/*" : "redirect is allowed"))
        }
    }

    @Test func `contract §3: an empty redirect counts as absent: nothing allows it, and the default page is shown`()
        async throws
    {
        try await withService { service in
            let explanation = try explainer(service).redirect([], client: website)
            #expect(!explanation.passes && explanation.reason == "malformed")
            #expect(explanation.steps.contains(.init(check: "redirect", outcome: "absent")))
            #expect(explanation.steps.last == .init(check: "lands on", outcome: "https://bridge.example/contacts"))
            #expect(try explainer(service).redirect([], client: "unheard-of").reason == "unknown_client")
        }
    }

    @Test(arguments: [("/contacts", "/contacts"), ("/contacts?a=1", "/contacts"), ("/account/a/b", "/account/*")])
    func `the rule is the entry of the list that decides`(redirect: String, entry: String) async throws {
        try await withService { service in
            let explanation = try explainer(service).redirect(Array(redirect.utf8), client: website)
            #expect(explanation.rule == entry)
            #expect(explanation.steps.contains(.init(check: "allowed by", outcome: entry)))
        }
    }

    @Test func `a website that signs in by itself is landed at its own address, which is told the page`() async throws {
        try await withService { service in
            service.change(website) {
                $0.landing = .initiateLogin
                $0.initiateLoginURI = "https://rp.example/login"
            }
            let steps = try explainer(service).redirect(Array("/contacts".utf8), client: website).steps
            #expect(
                Array(steps.suffix(2)) == [
                    .init(check: "lands on", outcome: "https://rp.example/login"),
                    .init(check: "target_link_uri", outcome: "https://bridge.example/contacts"),
                ])
        }
    }

    @Test(arguments: [("unheard-of", "unknown_client"), ("app", "no_return_paths")])
    func `a client that nobody lands at has no redirects`(client: String, reason: String) async throws {
        try await withService { service in
            let explanation = try explainer(service).redirect(Array("/".utf8), client: ClientID(rawValue: client))
            #expect(!explanation.passes)
            #expect(explanation.reason == reason)
        }
    }

    @Test func `a good token passes every check, and is as good afterwards`() async throws {
        try await withService { service in
            let answer = try await service.issue()
            let explanation = try await explain(answer.token, service, redirect: "/account/7")
            #expect(explanation.passes)
            #expect(explanation.steps.last?.outcome == "https://bridge.example/account/7")
            #expect(try await service.open(answer.token).word == "opened")
        }
    }

    @Test func `contract §4.3: a refused redirect fails no sign-in`() async throws {
        try await withService { service in
            let answer = try await service.issue()
            let explanation = try await explain(answer.token, service, redirect: "https://evil.example/")
            #expect(explanation.passes)
            #expect(explanation.steps.last?.outcome == "https://bridge.example/contacts")
        }
    }

    @Test func `contract §13: a flaw is told with the part that has it, and the reason is the flaw alone`() {
        var explanation = Explanation(rule: "bearer")
        explanation.check("token is good", fails: "missing_claim", in: "client_id")
        #expect(explanation.reason == "missing_claim")
        #expect(explanation.steps == [.init(check: "token is good", outcome: "failed: missing_claim client_id")])
    }

    @Test func `a sealed target and a code challenge are told`() async throws {
        try await withService { service in
            let challenge = CodeChallenge(for: try #require(CodeVerifier(verifier)))
            let answer = try await service.issue(
                LoginTokenIssueRequest(
                    redirect: Array("/account/9".utf8), codeChallenge: challenge.value, codeChallengeMethod: "S256"))
            let steps = try await explain(answer.token, service).steps
            #expect(steps.contains(.init(check: "code verifier", outcome: "needed; not judged here")))
            #expect(steps.contains(.init(check: "sealed target", outcome: "/account/9")))
            #expect(steps.last == .init(check: "lands on", outcome: "https://bridge.example/account/9"))
        }
    }

    @Test func `a sealed target that is not allowed any more lands where the redemption does`() async throws {
        try await withService { service in
            let answer = try await service.issue(LoginTokenIssueRequest(redirect: Array("/account/9".utf8)))
            let other = try await explain(answer.token, service, redirect: "/contacts").steps
            #expect(other.contains(.init(check: "redirect of the request", outcome: "failed: differs_from_sealed")))
            #expect(other.last == .init(check: "lands on", outcome: "https://bridge.example/account/9"))
            let paths = try ReturnPathPolicy(entries: ["/contacts"], defaultPath: "/contacts")
            service.change(website) { $0.returnPaths = paths }
            let explanation = try await explain(answer.token, service)
            #expect(explanation.passes)
            #expect(explanation.steps.contains(.init(check: "redirect is allowed", outcome: "failed: not_listed")))
            #expect(explanation.steps.last == .init(check: "lands on", outcome: "https://bridge.example/contacts"))
        }
    }

    @Test(arguments: [
        "malformed", "expired", "unknown_website", "client_without_right", "wrong_network", "subject_disabled",
        "parent_session_ended", "replayed", "revoked",
    ])
    func `the check that fails is named, as the audit log will name it`(reason: String) async throws {
        try await withService { service in
            let parent = try #require(try await service.open(try await service.issue().token).opened).session
            let answer = try await service.issue(LoginTokenIssueRequest(bind: "network"))
            var token = answer.token
            var address = "203.0.113.7"
            switch reason {
            case "malformed": token = Secret("nonsense")
            case "expired": service.clock.advance(.seconds(61))
            case "unknown_website": service.clients.remove(website)
            case "client_without_right": service.clients.remove(app)
            case "wrong_network": address = "198.51.100.1"
            case "subject_disabled":
                try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            case "parent_session_ended": token = try childToken(of: parent, service)
            case "replayed": _ = try await service.open(token)
            default:
                try await service.overview.revoke(answer.id, bearer: service.bearer(), origin: origin())
            }
            let explanation = try await explain(token, service, from: address)
            #expect(!explanation.passes)
            #expect(explanation.reason == reason)
        }
    }

    @Test func `a website without a page to land on redeems nothing, and the explanation says so`() async throws {
        try await withService { service in
            let token = try await service.issue().token
            service.clients.add(Client(id: website, name: "Website", kind: .web))
            let explanation = try await explain(token, service)
            #expect(explanation.reason == "no_return_paths")
            #expect(explanation.rule == "website has return paths")
            #expect(try await service.open(token).word == "refused")
            #expect(try await service.events().last == "login_token.refused no_return_paths")
        }
    }

    @Test func `without an address a binding is not judged, which is told`() async throws {
        try await withService { service in
            let answer = try await service.issue(LoginTokenIssueRequest(bind: "network"))
            let explanation = try await explain(answer.token, service, from: nil)
            #expect(explanation.passes)
            #expect(
                explanation.steps.contains(
                    .init(check: "network binding", outcome: "no address given; not judged here")))
            let unbound = try await explain(try await service.issue().token, service, from: nil)
            #expect(unbound.steps.contains(.init(check: "network binding", outcome: "passed")))
        }
    }

    @Test func `contract §13: an explanation is told as JSON`() async throws {
        try await withService { service in
            let explanation = try explainer(service).redirect(Array("/".utf8), client: "unheard-of")
            #expect(
                JSONValue.parse(Array(explanation.json.utf8))
                    == .object([
                        "passes": .bool(false), "reason": .string("unknown_client"),
                        "rule": .string("client is known"),
                        "steps": .array([
                            .object([
                                "check": .string("client is known"), "outcome": .string("failed: unknown_client"),
                            ])
                        ]),
                    ]))
        }
    }

    @Test func `an exchange is explained check by check, and neither counted nor recorded`() async throws {
        try await withNativeProvider { native in
            let tokens = try await native.signIn()
            let form = native.exchangeForm(tokens)
            let before = try await native.service.events()
            for _ in 0..<20 {
                let explanation = try await native.exchanges.explain(
                    try Provider.parameters(form), origin: origin(), at: native.clock.now)
                #expect(explanation.passes)
            }
            #expect(try await native.service.events() == before)
            #expect(try await native.isActive(native.exchange(tokens)))
        }
    }

    @Test(
        arguments: [
            (["client_id": "unheard-of"], "unknown_client"),
            (["subject_token_type": TokenTypeURI.jwt], "subject_token_type"),
            (["actor_token_type": nil], "missing_actor_token_type"), (["subject_token": nil], "missing_subject_token"),
            (["actor_token": "ds_nonsense"], "secret_unknown"),
            (["subject_token": "nonsense"], "subject_token_invalid"),
            (["audience": "https://elsewhere.example"], "wrong_audience"), (["client_id": "guest"], "consent_needed"),
            (["client_id": "bank"], "authentication_too_weak"),
            (["subject_token_type": TokenTypeURI.accessToken, "subject_token": "nonsense"], "subject_token_invalid"),
        ] as [([String: String?], String)])
    func `an exchange that would be refused has its reason`(
        changes: [String: String?], reason: String
    ) async throws {
        try await withNativeProvider { native in
            let form = native.exchangeForm(try await native.signIn(), changing: changes)
            let explanation = try await native.exchanges.explain(
                try Provider.parameters(form), origin: origin(), at: native.clock.now)
            #expect(explanation.reason == reason)
        }
    }

    /// A token whose parent is a web session of ours; the issuer would refuse to make one.
    private func childToken(of parent: WebSession, _ service: Service) throws -> Secret<String> {
        let now = service.clock.now
        let claims = LoginTokenClaims(
            issuer: "https://bridge.example", audience: website, subject: "alice", issuedAt: now,
            expiresAt: now + .seconds(60), id: "child", clientID: app, sessionID: parent.id,
            authentication: Authentication(), target: nil, binding: LoginTokenBinding())
        return try #require(
            LoginTokenCodec(issuer: "https://bridge.example", keys: service.keys).sign(claims, at: now)
        ).token
    }
}

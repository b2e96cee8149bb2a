import BridgeTestSupport
import OAuth2
import Testing

@testable import Bridge

@Suite struct DPoPTokenEndpointRFC9449Tests {
    @Test func `§5: a proof binds the access token, and a public client's refresh token`() async throws {
        try await withProvider { provider in
            let key = try ProofKey()
            let tokens = try await provider.signIn(proof: try key.proof(id: "1", at: provider.service.clock.now))
            #expect(tokens.tokenType == "DPoP")
            #expect(try claims(tokens.accessToken)["cnf"] == .object(["jkt": .string(key.thumbprint)]))
            let facts = try await provider.introspect(tokens.accessToken)
            #expect(facts["token_type"]?.string == "DPoP")
            #expect(facts["cnf"] == .object(["jkt": .string(key.thumbprint)]))

            let other = try ProofKey()
            for (id, proof) in [("none", PresentedProof.none), ("other", try other.proof(id: "2", at: noon))] {
                let found = try await refusal { try await provider.refresh(tokens.refreshToken, proof: proof) }
                #expect(found == "invalid_grant proof_key", "\(id)")
            }
            let fresh = try await provider.refresh(
                tokens.refreshToken, proof: try key.proof(id: "3", at: provider.service.clock.now))
            #expect(fresh.tokenType == "DPoP")
            #expect(try claims(fresh.accessToken)["cnf"] == .object(["jkt": .string(key.thumbprint)]))
            // The successor is bound as its parent was.
            #expect(try await refusal { try await provider.refresh(fresh.refreshToken) } == "invalid_grant proof_key")
        }
    }

    @Test func `§5: a refresh with a proof binds the refresh token that it gives, where the old one was not`()
        async throws
    {
        try await withProvider { provider in
            let (key, other) = (try ProofKey(), try ProofKey())
            let unbound = try await provider.signIn().refreshToken
            let bound = try await provider.refresh(unbound, proof: try key.proof(id: "1", at: noon))
            #expect(bound.tokenType == "DPoP")
            for proof in [PresentedProof.none, try other.proof(id: "2", at: noon)] {
                let found = try await refusal { try await provider.refresh(bound.refreshToken, proof: proof) }
                #expect(found == "invalid_grant proof_key")
            }
            let next = try await provider.refresh(bound.refreshToken, proof: try key.proof(id: "3", at: noon))
            #expect(try claims(next.accessToken)["cnf"] == .object(["jkt": .string(key.thumbprint)]))
        }
    }

    @Test func `§5: an answer that was lost is given again to the key that it was given to`() async throws {
        try await withProvider { provider in
            let key = try ProofKey()
            let unbound = try await provider.signIn().refreshToken
            let first = try await provider.refresh(unbound, proof: try key.proof(id: "1", at: noon))
            provider.service.clock.advance(.seconds(10))
            let again = try await provider.refresh(
                unbound, proof: try key.proof(id: "2", at: provider.service.clock.now))
            #expect(first.refreshToken?.expose() == again.refreshToken?.expose())
            #expect(again.tokenType == "DPoP")
        }
    }

    @Test(arguments: [("key", "other"), ("key", "none"), ("none", "key")])
    func `§5: an unbound refresh token that comes with two keys, or with one and without, ends its session`(
        _ first: String, _ second: String
    ) async throws {
        try await withProvider { provider in
            let keys = ["key": try ProofKey(), "other": try ProofKey()]
            func proof(_ name: String, _ id: String) throws -> PresentedProof {
                try keys[name]?.proof(id: id, at: noon) ?? PresentedProof.none
            }
            let unbound = try await provider.signIn().refreshToken
            let given = try await provider.refresh(unbound, proof: try proof(first, "1")).refreshToken
            let found = try await refusal { try await provider.refresh(unbound, proof: try proof(second, "2")) }
            #expect(found == "invalid_grant reused")
            #expect(
                try await provider.service.events().suffix(3) == [
                    "refresh_token.reused reused", "app_session.ended refresh_token_reused",
                    "token_request.refused reused",
                ])
            let after = try await refusal { try await provider.refresh(given, proof: try proof(first, "3")) }
            #expect(after == "invalid_grant session_ended")
        }
    }

    @Test func `§5: of refreshes at once of an unbound token with several keys one is answered, and its session ends`()
        async throws
    {
        try await withProvider { provider in
            let unbound = try await provider.signIn().refreshToken
            let proofs = try (0..<8).map { try ProofKey().proof(id: "\($0)", at: noon) }
            let found = try await withThrowingTaskGroup(of: String.self) { group in
                for proof in proofs {
                    group.addTask { try await refusal { try await provider.refresh(unbound, proof: proof) } }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(found.count { $0 == "accepted" } == 1)
            #expect(Set(found).isSubset(of: ["accepted", "invalid_grant reused", "invalid_grant session_ended"]))
            #expect(found.contains("invalid_grant reused"))
            #expect(try await provider.service.events().contains("app_session.ended refresh_token_reused"))
        }
    }

    @Test func `§5: without a proof everything is as it was`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            #expect(tokens.tokenType == "Bearer")
            #expect(try claims(tokens.accessToken)["cnf"] == nil)
        }
    }

    @Test func `§5: a confidential client's refresh token is bound to its secret, and takes any key`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(
                try provider.grant(client: "rp", scope: ["openid", "offline_access"]))
            let first = try await provider.redeem(
                code, client: nil, basic: provider.basic, proof: try ProofKey().proof(id: "1", at: noon))
            let form = [
                ("grant_type", "refresh_token"), ("refresh_token", try #require(first.refreshToken).expose()),
            ]
            let other = try ProofKey()
            let fresh = try await provider.token(
                form, basic: provider.basic, proof: try other.proof(id: "2", at: noon))
            #expect(try claims(fresh.accessToken)["cnf"] == .object(["jkt": .string(other.thumbprint)]))
            #expect(try await provider.token(form, basic: provider.basic).tokenType == "Bearer")
        }
    }

    @Test func `§5: a client that acts for itself gets a bound token too`() async throws {
        try await withProvider { provider in
            let key = try ProofKey()
            let tokens = try await provider.token(
                [("grant_type", "client_credentials")],
                basic: .given(id: "machine", secret: Secret(provider.secret.expose())),
                proof: try key.proof(id: "1", at: noon))
            #expect(tokens.tokenType == "DPoP")
            #expect(try claims(tokens.accessToken)["cnf"] == .object(["jkt": .string(key.thumbprint)]))
        }
    }

    @Test func `§5: a proof that does not hold costs the request, not the code, and stands in the audit log`()
        async throws
    {
        try await withProvider { provider in
            let key = try ProofKey()
            let code = try await provider.code(try provider.grant())
            let elsewhere = try key.proof(id: "1", path: "/oauth/par", at: noon)
            let wrong = PresentedProof(fields: elsewhere.fields, method: "POST", path: "/oauth/token")
            #expect(
                try await refusal { try await provider.redeem(code, proof: wrong) } == "invalid_dpop_proof proof_target"
            )
            #expect(try await provider.service.events().last == "token_request.refused proof_target")
            _ = try await provider.redeem(code, proof: try key.proof(id: "2", at: noon))
        }
    }

    @Test func `§5.2: a client that is registered so gets nothing without a proof`() async throws {
        try await withProvider { provider in
            var strict = Client(id: "strict", name: "An app with a key", kind: .native)
            strict.requiresProofOfPossession = true
            provider.service.clients.add(strict)
            let code = try await provider.code(try provider.grant(client: "strict"))
            #expect(
                try await refusal { try await provider.redeem(code, client: "strict") }
                    == "invalid_dpop_proof proof_missing")
            let tokens = try await provider.redeem(
                code, client: "strict", proof: try ProofKey().proof(id: "1", at: noon))
            #expect(tokens.tokenType == "DPoP")
        }
    }

    @Test func `§10: a code of a request with dpop_jkt needs that key`() async throws {
        try await withProvider { provider in
            let (key, other) = (try ProofKey(), try ProofKey())
            let code = try await provider.code(try provider.grant(proofKeyThumbprint: key.thumbprint))
            #expect(try await refusal { try await provider.redeem(code) } == "invalid_grant proof_key")
            let wrong = try other.proof(id: "1", at: noon)
            #expect(try await refusal { try await provider.redeem(code, proof: wrong) } == "invalid_grant proof_key")
            let tokens = try await provider.redeem(code, proof: try key.proof(id: "2", at: noon))
            #expect(tokens.tokenType == "DPoP")
        }
    }

    @Test func `§10.1: the key of a proof at the pushed request endpoint is dpop_jkt`() async throws {
        try await withProvider { provider in
            let (key, other) = (try ProofKey(), try ProofKey())
            let requests = provider.pushedRequests
            var pushing = Client(id: "pushing", name: "An app that pushes", kind: .native)
            pushing.redirectURIs = [
                try RedirectURI(registering: callback, rules: RedirectURIRules(isNative: true, allowsLocalhost: false))
            ]
            provider.service.clients.add(pushing)
            func form(_ thumbprint: String? = nil) throws -> FormParameters {
                var pairs = [
                    ("client_id", "pushing"), ("response_type", "code"), ("redirect_uri", callback),
                    ("scope", "openid"),
                    ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
                    ("code_challenge_method", "S256"),
                ]
                if let thumbprint { pairs.append(("dpop_jkt", thumbprint)) }
                return try Provider.parameters(pairs)
            }
            let named = try await refusal {
                try await requests.push(
                    try form(other.thumbprint), basic: .absent,
                    proof: try key.proof(id: "1", path: "/oauth/par", at: noon),
                    origin: origin())
            }
            #expect(named == "invalid_dpop_proof dpop_jkt_mismatch")
            #expect(try await provider.service.events().last == "token_request.refused dpop_jkt_mismatch")
            // Anybody can send those of a public client, and they protect nobody.
            let again = try key.proof(id: "3", path: "/oauth/par", at: noon)
            for _ in 0..<2 { _ = try await requests.push(try form(), basic: .absent, proof: again, origin: origin()) }
            let uri = try await requests.push(
                try form(), basic: .absent, proof: try key.proof(id: "2", path: "/oauth/par", at: noon),
                origin: origin())
            let secret = try #require(
                OpaqueSecret(
                    String(uri.expose().dropFirst(AuthorizationRequestReader.requestURIPrefix.count)),
                    kind: .pushedRequest))
            let kept = try await provider.service.storage.pushedRequest(digest: secret.digest)
            #expect(kept?.parameters.contains("dpop_jkt=\(key.thumbprint)") == true)
        }
    }

    @Test func `§11.1: a proof is used up once the credential beside it is found good, and not before`() async throws {
        try await withProvider { provider in
            let proof = try ProofKey().proof(id: "1", at: noon)
            for _ in 0..<2 {
                let found = try await refusal { try await provider.refresh(Secret("invented"), proof: proof) }
                #expect(found == "invalid_grant unknown_refresh_token")
            }
            let code = try await provider.code(try provider.grant())
            let guess = String(repeating: "x", count: 43)
            let missed = try await refusal { try await provider.redeem(code, codeVerifier: guess, proof: proof) }
            #expect(missed == "invalid_grant code_verifier")
            let tokens = try await provider.redeem(code, proof: proof)
            #expect(tokens.tokenType == "DPoP")
        }
    }

    @Test func `§11.1: a request that comes again whole is given nothing and changes nothing`() async throws {
        try await withProvider { provider in
            let key = try ProofKey()
            let replayed = "invalid_dpop_proof proof_replayed"
            func givenOnce(_ call: () async throws -> TokenResponse) async throws -> TokenResponse {
                let answer = try await call()
                let again = try await refusal { try await call() }
                #expect(again == replayed)
                return answer
            }
            let code = try await provider.code(try provider.grant())
            let first = try key.proof(id: "1", at: noon)
            let given = try await givenOnce { try await provider.redeem(code, proof: first) }
            let second = try key.proof(id: "2", at: noon)
            let fresh = try await givenOnce { try await provider.refresh(given.refreshToken, proof: second) }
            // By then, whoever shows the old token with a proof of their own ends the session.
            provider.service.clock.advance(RefreshTokens.grace + .seconds(1))
            let late = try await refusal { try await provider.refresh(given.refreshToken, proof: second) }
            #expect(late == replayed)
            let third = try key.proof(id: "3", at: provider.service.clock.now)
            let goingOn = try await provider.refresh(fresh.refreshToken, proof: third)
            #expect(goingOn.tokenType == "DPoP")
            let fourth = try key.proof(id: "4", at: provider.service.clock.now)
            _ = try await givenOnce {
                try await provider.token(
                    [("grant_type", "client_credentials")],
                    basic: .given(id: "machine", secret: Secret(provider.secret.expose())), proof: fourth)
            }
        }
    }

    @Test func `§7.2: a bound token without its proof opens nothing`() async throws {
        try await withProvider { provider in
            let key = try ProofKey()
            let token = try await provider.signIn(proof: try key.proof(id: "1", at: noon)).accessToken
            func ask(_ scheme: PresentedAccessToken.Scheme, _ proof: PresentedProof) async throws -> String {
                try await refusal {
                    try await provider.userInfo.claims(
                        for: PresentedAccessToken(token: token, scheme: scheme, proof: proof))
                }
            }
            func proof(_ id: String, by key: ProofKey, for token: Secret<String>?) throws -> PresentedProof {
                try key.proof(id: id, method: "GET", path: "/oauth/userinfo", at: noon, token: token)
            }
            #expect(try await ask(.bearer, .none) == "sender_constrained")
            #expect(try await ask(.bearer, try proof("2", by: key, for: token)) == "sender_constrained")
            #expect(try await ask(.dpop, .none) == "invalid_dpop_proof proof_missing")
            #expect(try await ask(.dpop, try proof("3", by: key, for: nil)) == "invalid_dpop_proof proof_token_hash")
            #expect(try await ask(.dpop, try proof("4", by: try ProofKey(), for: token)) == "wrong_proof_key")
            #expect(try await ask(.dpop, try proof("5", by: key, for: token)) == "accepted")

            let unbound = try await provider.signIn().accessToken
            let found = try await refusal {
                try await provider.userInfo.claims(
                    for: PresentedAccessToken(
                        token: unbound, scheme: .dpop, proof: try proof("6", by: key, for: unbound)))
            }
            #expect(found == "not_sender_constrained")
        }
    }

    @Test func `a bearer that is bound says so to whoever lets it in`() async throws {
        try await withProvider { provider in
            let key = try ProofKey()
            let token = try await provider.signIn(proof: try key.proof(id: "1", at: noon)).accessToken
            let bearers = LocalBearers(
                tokens: provider.accessTokens, subjects: provider.service.subjects, issuer: issuerName,
                others: NoOtherIssuers())
            let identity = try await bearers.authenticate(token, at: noon)
            #expect(identity.proofKeyThumbprint == key.thumbprint)
        }
    }
}

import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct TokenExchangeRFC8693Tests {
    @Test func `draft-07 §4: an ID token and the device secret give another app tokens of its own`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            #expect(second.issuedTokenType == TokenTypeURI.accessToken)
            #expect(second.tokenType == "Bearer")
            let access = try claims(second.accessToken)
            #expect(access["client_id"]?.string == "music")
            #expect(access["sub"]?.string == "alice")
            #expect(try native.session(of: second) != native.session(of: first))
            // The next app can go on from here; the secret it has.
            #expect(second.deviceSecret == nil)
            #expect(try claims(second.idToken)["ds_hash"] == claims(first.idToken)["ds_hash"])
            let event = try #require(try await native.records(.deviceSecretExchanged).first)
            #expect(event.clientID == "photos")
            #expect(event.targetClientID == "music")
            #expect(try event.sessionID == native.session(of: second))
            native.clock.advance(.seconds(1))
            #expect(try await native.refresh(second, NativeProvider.music).refreshToken != nil)
        }
    }

    @Test func `draft-07 §4: the name of the secret's type in older drafts is understood too`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let second = try await native.exchange(first, changing: ["actor_token_type": TokenTypeURI.oldDeviceSecret])
            #expect(try await native.isActive(second))
        }
    }

    @Test func `contract §7: what was opened by an exchange ends with the session it came from`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            #expect(try await native.isActive(second))
            try await native.service.endings.end(
                .appSession(try native.session(of: first)), .sample(.revoked, at: native.clock.now))
            #expect(try await !native.isActive(second))
        }
    }

    @Test func `contract §5.4: scope narrows what the first app was granted`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let narrow = try await native.exchange(first, changing: ["scope": "openid"])
            #expect(narrow.scope?.description == "openid")
            let wide = try await native.exchange(first)
            #expect(wide.scope?.description == NativeProvider.scope.joined(separator: " "))
        }
    }

    @Test func `RFC 9449 §5: with a proof the other app's tokens are bound to its key`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let key = try ProofKey()
            let second = try await native.post(
                native.exchangeForm(first), proof: try key.proof(id: "1", at: native.clock.now))
            #expect(second.tokenType == "DPoP")
            #expect(try claims(second.accessToken)["cnf"] == .object(["jkt": .string(key.thumbprint)]))
            #expect(
                try await refusal { try await native.refresh(second, NativeProvider.music) }
                    == "invalid_grant proof_key")
        }
    }

    @Test func `RFC 9449 §11.1: a proof is used up beside a secret that is known, and no exchange comes twice`()
        async throws
    {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let key = try ProofKey()
            let proof = try key.proof(id: "1", at: native.clock.now)
            let unknown = native.exchangeForm(first, secret: Secret("ds_nonsense"))
            let wrong = try await refusal { try await native.post(unknown, proof: proof) }
            #expect(wrong == "invalid_grant secret_unknown")
            let form = native.exchangeForm(first)
            _ = try await native.post(form, proof: proof)
            let again = try await refusal { try await native.post(form, proof: proof) }
            #expect(again == "invalid_dpop_proof proof_replayed")
            let next = try await native.post(form, proof: try key.proof(id: "2", at: native.clock.now))
            #expect(next.tokenType == "DPoP")
        }
    }

    @Test(
        arguments: [
            (["subject_token": nil], "invalid_request missing_subject_token"),
            (["subject_token_type": nil], "invalid_request missing_subject_token_type"),
            (["subject_token_type": TokenTypeURI.refreshToken], "invalid_request subject_token_type"),
            (["actor_token": nil], "invalid_request missing_actor_token"),
            (["actor_token_type": nil], "invalid_request missing_actor_token_type"),
            (["actor_token_type": TokenTypeURI.jwt], "invalid_request actor_token_type"),
            (["requested_token_type": TokenTypeURI.loginToken], "invalid_request requested_token_type"),
            (["actor_token": nil, "actor_token_type": nil], "invalid_request missing_actor_token"),
            (
                ["actor_token": nil, "actor_token_type": nil, "subject_token_type": TokenTypeURI.accessToken],
                "invalid_request missing_actor_token"
            ),
            (
                [
                    "actor_token": nil, "actor_token_type": nil, "subject_token_type": TokenTypeURI.accessToken,
                    "requested_token_type": TokenTypeURI.refreshToken,
                ], "invalid_request requested_token_type"
            ),
            (
                ["actor_token": nil, "actor_token_type": nil, "subject_token_type": TokenTypeURI.jwt],
                "invalid_request subject_token_type"
            ),
            (["scope": "openid  profile"], "invalid_scope malformed_scope"),
        ] as [([String: String?], String)])
    func `contract §5.4: outside its table nothing is exchanged`(
        changes: [String: String?], expected: String
    ) async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            #expect(try await refusal { try await native.exchange(first, changing: changes) } == expected)
        }
    }

    @Test(
        arguments: [
            (["actor_token": "ds_nonsense"], "invalid_grant secret_unknown"),
            (["subject_token": "nonsense"], "invalid_token subject_token_invalid"),
            (["client_id": "app"], "access_denied client_not_shared"),
            (["client_id": "shop"], "unauthorized_client client_without_native_sso"),
            (["audience": "https://elsewhere.example"], "invalid_target wrong_audience"),
            (["scope": "profile"], "invalid_scope scope_without_openid"),
            (["scope": "openid admin"], "invalid_scope scope_too_wide"),
            (["client_id": "guest"], "interaction_required consent_needed"),
            (["client_id": "bank"], "insufficient_user_authentication authentication_too_weak"),
        ] as [([String: String?], String)])
    func `contract §11: every flaw has its error code`(changes: [String: String?], expected: String) async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            #expect(try await refusal { try await native.exchange(first, changing: changes) } == expected)
        }
    }

    @Test func `RFC 9470 §3: an app that needs a stronger sign-in is told which`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            do {
                _ = try await native.exchange(first, to: "bank")
                Issue.record("the exchange passed")
            } catch let error as OAuthError {
                #expect(
                    error.challenge
                        == #"Bearer error="insufficient_user_authentication", acr_values="aal2", max_age="600""#)
            }
        }
    }

    @Test func `a third party's app gets in once the user has agreed`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            try await native.storage.rememberConsent(
                of: "alice", to: "guest", scopes: Set(NativeProvider.scope), at: native.clock.now,
                event: AuditEvent(at: native.clock.now, type: .consentGranted, outcome: .success, subject: "alice"))
            #expect(try await native.isActive(native.exchange(first, to: "guest")))
        }
    }

    @Test func `a third party's app gets in where its user has agreed on this device, and no further`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let agreed = try await native.signIn(
                "guest", deviceSecret: first.deviceSecret?.expose(), scope: [Scope.openID, Scope.deviceSSO])
            #expect(
                try await refusal { try await native.exchange(first, to: "guest") }
                    == "interaction_required consent_needed")
            let opened = try await native.exchange(first, changing: ["client_id": "guest", "scope": "openid"])
            #expect(try await native.isActive(opened))
            try await native.provider.service.endings.end(
                .appSession(try native.session(of: agreed)),
                Ending(at: native.clock.now, reason: .signedOut, origin: origin()))
            #expect(
                try await refusal {
                    try await native.exchange(first, changing: ["client_id": "guest", "scope": "openid"])
                } == "interaction_required consent_needed")
        }
    }

    @Test func `a refusal is recorded with every flaw, and told with one`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            _ = try await refusal {
                try await native.exchange(
                    first, changing: ["audience": "https://elsewhere.example", "scope": "profile"])
            }
            let event = try #require(try await native.records(.deviceSecretRefused).first)
            #expect(event.outcome == .failure)
            #expect(event.reason == "wrong_audience")
            #expect(event.subject == "alice")
            let detail = try #require(JSONValue.parse(Array((event.detail ?? "").utf8))?.object)
            #expect(
                detail["flaws"] == .array([.string("wrong_audience"), .string("scope_without_openid")]))
            #expect(detail["device_secret_id"]?.string != nil)
        }
    }

    @Test func `contract §12: one device is exchanged ten times a minute, then not for a quarter of an hour`()
        async throws
    {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            for _ in 0..<10 { _ = try await native.exchange(first) }
            #expect(try await refusal { try await native.exchange(first) } == "slow_down exchange.device")
            native.clock.advance(.seconds(14 * 60))
            #expect(try await refusal { try await native.exchange(first) } == "slow_down exchange.device")
            native.clock.advance(.seconds(16 * 60))
            #expect(try await native.isActive(native.exchange(first)))
            #expect(try await native.records(.rateLimitExceeded).first?.subject == "alice")
        }
    }

    @Test(arguments: [
        [NativeSSOField.maxAttemptsPerMinute: NativeSSOValue.number(20)], [.blockDurationMinutes: .number(1)],
    ])
    func `contract §12: a device that is blocked counts anew once an administrator has changed the limit or the block`(
        change: [NativeSSOField: NativeSSOValue]
    ) async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            for _ in 0..<10 { _ = try await native.exchange(first) }
            #expect(try await refusal { try await native.exchange(first) } == "slow_down exchange.device")
            try await native.set(change)
            let count = change[.maxAttemptsPerMinute] == nil ? 10 : 20
            for _ in 0..<count { _ = try await native.exchange(first) }
            #expect(try await refusal { try await native.exchange(first) } == "slow_down exchange.device")
        }
    }

    @Test func `contract §12: no other setting, nor the same one again, lifts the block of a device`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            for _ in 0..<10 { _ = try await native.exchange(first) }
            #expect(try await refusal { try await native.exchange(first) } == "slow_down exchange.device")
            for change: [NativeSSOField: NativeSSOValue] in [
                [.maxAttemptsPerMinute: .number(10), .blockDurationMinutes: .number(15)],
                [.deviceSecretTTLDays: .number(31), .maxDeviceSecretsPerUser: .number(11)],
            ] {
                try await native.set(change)
                #expect(try await refusal { try await native.exchange(first) } == "slow_down exchange.device")
            }
        }
    }

    @Test func `contract §12: secrets that nobody has are counted by app and network`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            let unknown = Secret(OpaqueSecret.make(.deviceSecret, random: .system).expose())
            for _ in 0..<10 { _ = try await refusal { try await native.exchange(first, secret: unknown) } }
            #expect(
                try await refusal { try await native.exchange(first, secret: unknown) } == "slow_down exchange.unknown")
            #expect(try await native.isActive(native.exchange(first)))
        }
    }

    @Test(arguments: [
        (NativeProvider.music, TokenTypeURI.idToken), (NativeProvider.music, TokenTypeURI.accessToken),
        (NativeProvider.shop, TokenTypeURI.accessToken),
    ])
    func `an app that Native SSO was taken from opens nothing with the secret that it has`(
        target: ClientID, type: String
    ) async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            #expect(try await native.isActive(native.exchange(first, to: target, by: type)))
            native.service.change(NativeProvider.photos) { $0.isNativeSSOEnabled = false }
            #expect(
                try await refusal { try await native.exchange(first, to: target, by: type) }
                    == "unauthorized_client client_without_native_sso")
        }
    }

    @Test func `a disabled user's secret opens nothing`() async throws {
        try await withNativeProvider { native in
            try await native.storage.addUser("alice", issuer: issuerName, at: native.clock.now)
            let first = try await native.signIn()
            try await native.storage.change(
                "alice", UserChange(isDisabled: true), ending: .sample(at: native.clock.now))
            #expect(try await refusal { try await native.exchange(first) } == "invalid_grant secret_revoked")
        }
    }

    @Test func `an access token that was revoked is no subject token`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            try await native.revocation.revoke(
                try Provider.parameters([("token", first.accessToken.expose()), ("client_id", "photos")]),
                basic: .absent, origin: origin())
            #expect(
                try await refusal { try await native.exchange(first, by: TokenTypeURI.accessToken) }
                    == "invalid_token subject_token_invalid")
        }
    }
}

extension NativeProvider {
    /// As an administrator does.
    fileprivate func set(_ fields: [NativeSSOField: NativeSSOValue]) async throws {
        try await configuration.change(
            fields, by: AdminAction(actor: .login("root"), origin: origin(), at: clock.now))
    }
}

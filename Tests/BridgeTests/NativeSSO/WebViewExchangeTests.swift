import OAuth2
import Testing

@testable import Bridge

@Suite struct WebViewExchangeTests {
    private func openShop(_ native: NativeProvider) async throws -> TokenResponse {
        try await native.exchange(
            try await native.signIn(), to: NativeProvider.shop, by: TokenTypeURI.accessToken)
    }

    private func cookie(_ name: String, of response: TokenResponse) throws -> TokenCookie {
        try #require(response.cookies?.first { $0.name == name }, "\(name)")
    }

    private func secret(_ response: TokenResponse) throws -> OpaqueSecret {
        try #require(
            OpaqueSecret(try cookie("shop_refresh_token", of: response).value.expose(), kind: .sessionRefresh))
    }

    private func refresh(
        _ native: NativeProvider, _ secret: OpaqueSecret, proof: String?
    ) async throws -> SessionRefresh.Outcome {
        try await native.refreshing.refresh(
            secret, proof: proof, path: CookieTokens.refreshPath, cookies: .allowed, origin: origin())
    }

    /// The cookie's secret after so many renewals.
    private func renewed(_ native: NativeProvider, _ first: OpaqueSecret, times: Int) async throws -> OpaqueSecret {
        var current = first
        for _ in 0..<times {
            let outcome = try await refresh(native, current, proof: AntiCSRF.value(for: current).expose())
            guard case .refreshed(_, _, let cookies) = outcome else {
                Issue.record("a good cookie was refused")
                return current
            }
            current = try #require(OpaqueSecret(cookies[1].value.expose(), kind: .sessionRefresh))
        }
        return current
    }

    @Test func `contract §6: the profile tokens has four cookies, under the website's prefix and domain`() async throws
    {
        try await withNativeProvider { native in
            let response = try await openShop(native)
            let cookies = try #require(response.cookies)
            #expect(
                cookies.map(\.name) == [
                    "shop_access_token", "shop_refresh_token", "shop_anti_csrf_token", "shop_info_token",
                ])
            #expect(cookies.map(\.domain) == [".shop.example", nil, nil, ".shop.example"])
            #expect(cookies.map(\.path) == ["/", "/session/refresh", "/", "/"])
            // A page's script reads when to refresh, and nothing else.
            #expect(cookies.map(\.isHTTPOnly) == [true, true, true, false])
            let times = try #require(PercentEncoding.decode(cookies[3].value.expose()))
            #expect(
                JSONValue.parse(Array(times.utf8))?.object?.keys.sorted() == [
                    "access_token_expiration", "refresh_token_expiration",
                ])
            let access = try claims(response.accessToken)
            #expect(access["client_id"]?.string == "shop")
            #expect(try await native.isActive(response))
        }
    }

    @Test func `contract §6: the access token in a cookie ends with its session at the latest`() async throws {
        try await withNativeProvider { native in
            native.service.change(NativeProvider.shop) { $0.sessionLifetime = .seconds(120) }
            let response = try await openShop(native)
            let end = (native.clock.now + .seconds(120)).seconds
            #expect(try claims(response.accessToken)["exp"]?.integer == end)
        }
    }

    @Test func `contract §6: the profile session has the secret and two times`() async throws {
        try await withNativeProvider { native in
            let response = try await native.exchange(
                try await native.signIn(), to: "news", by: TokenTypeURI.accessToken)
            let cookies = try #require(response.cookies)
            #expect(cookies.map(\.name) == ["__Host-drawbridge_session", "drawbridge_info"])
            #expect(cookies.map(\.isHTTPOnly) == [true, false])
            let secret = try #require(OpaqueSecret(cookies[0].value.expose(), kind: .webSession))
            let session = try #require(try await native.service.sessions.lookUp(secret))
            #expect(session.subject == "alice")
            #expect(session.clientID == "news")
            #expect(session.appClientID == "photos")
            #expect(session.opening == .tokenExchange)
        }
    }

    @Test func `contract §5.4: a web view gets as much of the bearer's scope as its app asks for`() async throws {
        try await withNativeProvider { native in
            let app = try await native.signIn()
            let cases: [(asked: String?, given: String)] = [
                (nil, "openid profile offline_access device_sso"), ("openid profile", "openid profile"),
                ("openid", "openid"),
            ]
            for (asked, given) in cases {
                let view = try await native.exchange(
                    app, to: NativeProvider.shop, by: TokenTypeURI.accessToken, changing: ["scope": asked])
                let session = try #require(try await native.storage.session(id: try native.session(of: view)))
                #expect(session.lineage.scope == Scope(given))
            }
        }
    }

    @Test func `contract §5.4: by an ID token a web view gets what the app was granted and its document still names`()
        async throws
    {
        try await withNativeProvider { native in
            native.service.change(NativeProvider.shop) { $0.isNativeSSOEnabled = true }
            let app = try await native.signIn()
            let cases: [(document: [String], given: String)] = [
                (NativeProvider.scope, "openid profile offline_access device_sso"),
                ([Scope.offlineAccess], "openid offline_access device_sso"),
                (NativeProvider.scope, "openid profile offline_access device_sso"),
            ]
            for (document, given) in cases {
                native.service.change(NativeProvider.photos) { $0.scope = Scope(tokens: document) }
                let view = try await native.exchange(app, to: NativeProvider.shop)
                let session = try #require(try await native.storage.session(id: try native.session(of: view)))
                #expect(session.lineage.scope == Scope(given))
            }
        }
    }

    @Test func `past ten living web sessions of one device at a website the one used longest ago ends`() async throws {
        try await withNativeProvider([.maxAttemptsPerMinute: .number(100)]) { native in
            let app = try await native.signIn()
            var views: [TokenResponse] = []
            for _ in 0..<11 {
                views.append(try await native.exchange(app, to: NativeProvider.shop, by: TokenTypeURI.accessToken))
                native.clock.advance(.seconds(1))
            }
            _ = try await native.exchange(app, to: "news", by: TokenTypeURI.accessToken)
            var active: [Bool] = []
            for view in views { active.append(try await native.isActive(view)) }
            #expect(active == [false] + Array(repeating: true, count: 10))
            let ended = try await native.records(.webSessionEnded)
            let oldest = try native.session(of: views[0])
            #expect(ended.map(\.reason) == ["too_many_of_device"])
            #expect(ended.map(\.sessionID) == [oldest])
            #expect(try await native.isActive(app))
        }
    }

    @Test func `attack: by another app's sign-in an app opens no web view that this other one may not`() async throws {
        try await withNativeProvider { native in
            native.service.change(NativeProvider.music) { $0.shareWith = [NativeProvider.shop] }
            let first = try await native.signIn()
            let second = try await native.exchange(first)
            func open() async throws -> TokenResponse {
                try await native.exchange(
                    second, to: NativeProvider.shop, secret: first.deviceSecret, by: TokenTypeURI.accessToken)
            }
            let session = try #require(try await native.storage.session(id: try native.session(of: try await open())))
            #expect(session.lineage.appsAbove == [NativeProvider.photos, NativeProvider.music])
            native.service.change(NativeProvider.photos) { $0.shareWith = [NativeProvider.music] }
            #expect(try await refusal { try await open() } == "access_denied client_not_shared")
        }
    }

    @Test func `a website is opened by the app's access token, not by its ID token`() async throws {
        try await withNativeProvider { native in
            let first = try await native.signIn()
            #expect(
                try await refusal { try await native.exchange(first, to: NativeProvider.shop) }
                    == "unauthorized_client client_without_native_sso")
        }
    }

    @Test func `a refresh gives cookies of the same session, and moves its idle end`() async throws {
        try await withNativeProvider { native in
            let first = try await openShop(native)
            native.clock.advance(.seconds(60))
            let proof = try cookie("shop_anti_csrf_token", of: first).value.expose()
            let outcome = try await refresh(native, try secret(first), proof: proof)
            guard case .refreshed(let session, let accessToken, let cookies) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try claims(accessToken)["sid"]?.string == session.id.rawValue)
            #expect(session.lastSeenAt == native.clock.now)
            #expect(cookies.count == 4)
            #expect(try cookies[1].value.expose() != secret(first).expose())
            #expect(cookies[2].value.expose() != proof)
        }
    }

    @Test func `a user's web views are not renewed without end`() async throws {
        try await withNativeProvider { native in
            let first = try await openShop(native)
            let proof = try cookie("shop_anti_csrf_token", of: first).value.expose()
            for _ in 0..<60 { _ = try await refresh(native, try secret(first), proof: proof) }
            let error = await #expect(throws: OAuthError.self) {
                try await refresh(native, try secret(first), proof: proof)
            }
            #expect(error?.code == .rateLimited && error?.detail == "refresh.subject")
        }
    }

    @Test func `attack: cookies of a session that is over take nothing from its user's others`() async throws {
        try await withNativeProvider { native in
            let ended = try await openShop(native)
            let good = try secret(try await openShop(native))
            try await native.service.endings.end(
                .webSession(try native.session(of: ended)),
                Ending(at: native.clock.now, reason: .administrator, origin: nil))
            let old = try secret(ended)
            for _ in 0..<60 {
                guard case .over = try await refresh(native, old, proof: AntiCSRF.value(for: old).expose()) else {
                    Issue.record("the session goes on")
                    return
                }
            }
            guard case .refreshed = try await refresh(native, good, proof: AntiCSRF.value(for: good).expose()) else {
                Issue.record("the other session is not renewed")
                return
            }
        }
    }

    @Test(arguments: [nil, "", "nonsense"])
    func `without the anti-CSRF value nothing is touched`(proof: String?) async throws {
        try await withNativeProvider { native in
            let first = try await openShop(native)
            guard case .forged = try await refresh(native, try secret(first), proof: proof) else {
                Issue.record("it was believed")
                return
            }
            let right = try cookie("shop_anti_csrf_token", of: first).value.expose()
            guard case .refreshed = try await refresh(native, try secret(first), proof: right) else {
                Issue.record("the cookie was used up")
                return
            }
        }
    }

    @Test func `why a refresh cookie renews nothing is in the log`() async throws {
        try await withNativeProvider { native in
            let first = try await openShop(native)
            let own = try secret(first)
            _ = try await refresh(native, own, proof: "nonsense")
            let invented = native.cookies.makeRefresh(at: native.clock.now)
            _ = try await refresh(native, invented, proof: AntiCSRF.value(for: invented).expose())
            let session = try native.session(of: first)
            try await native.service.endings.end(
                .webSession(session), Ending(at: native.clock.now, reason: .administrator, origin: nil))
            _ = try await refresh(native, own, proof: AntiCSRF.value(for: own).expose())
            let refused = try await native.records(.refreshTokenRefused).reversed()
            #expect(refused.map(\.reason) == ["cookies_without_proof", "cookies_unknown", "session_ended"])
            #expect(refused.map(\.sessionID) == [nil, nil, session])
        }
    }

    @Test func `attack: of invented refresh cookies a network tries sixty a minute, and ten are written`()
        async throws
    {
        try await withNativeProvider { native in
            func send(from network: RequestOrigin) async throws -> SessionRefresh.Outcome {
                let invented = native.cookies.makeRefresh(at: native.clock.now)
                return try await native.refreshing.refresh(
                    invented, proof: AntiCSRF.value(for: invented).expose(), path: CookieTokens.refreshPath,
                    cookies: .allowed, origin: network)
            }
            for _ in 0..<60 { _ = try await send(from: origin()) }
            let error = await #expect(throws: OAuthError.self) { try await send(from: origin()) }
            #expect(error?.code == .rateLimited && error?.detail == "refresh.network")
            #expect(try await native.records(.refreshTokenRefused).count == 10)
            // Another network is asked nothing of it.
            guard case .over = try await send(from: origin("198.51.100.1")) else {
                Issue.record("an invented cookie was believed")
                return
            }
        }
    }

    @Test func `a refresh cookie that was used long ago ends the session`() async throws {
        try await withNativeProvider { native in
            let first = try await openShop(native)
            let current = try await renewed(native, try secret(first), times: 2)
            let stolen = try secret(first)
            guard case .over = try await refresh(native, stolen, proof: AntiCSRF.value(for: stolen).expose()),
                case .over = try await refresh(native, current, proof: AntiCSRF.value(for: current).expose())
            else {
                Issue.record("the session goes on")
                return
            }
            #expect(try await !native.isActive(first))
            #expect(try await native.records(.webSessionEnded).map(\.reason) == ["refresh_token_reused"])
        }
    }

    @Test func `attack: whoever uses up a user's refreshes does not hide that a cookie was stolen`() async throws {
        try await withNativeProvider { native in
            let stolen = try secret(try await openShop(native))
            _ = try await renewed(native, stolen, times: 60)
            guard case .over = try await refresh(native, stolen, proof: AntiCSRF.value(for: stolen).expose()) else {
                Issue.record("the session goes on")
                return
            }
            #expect(try await native.records(.webSessionEnded).map(\.reason) == ["refresh_token_reused"])
        }
    }

    @Test func `a website that is no longer of this profile gets no new cookies, and its session no more time`()
        async throws
    {
        try await withNativeProvider { native in
            let secret = try secret(try await openShop(native))
            let opened = try #require(try await native.refreshing.session(of: secret))
            native.clock.advance(.seconds(60))
            native.service.change(NativeProvider.shop) { $0.cookieProfile = .session }
            guard case .over = try await refresh(native, secret, proof: AntiCSRF.value(for: secret).expose()) else {
                Issue.record("it was refreshed")
                return
            }
            #expect(try await native.records(.refreshTokenRefused).map(\.reason) == ["cookies_other_profile"])
            #expect(try await native.refreshing.session(of: secret) == opened)
        }
    }

    @Test func `contract §5.6: a website that revokes its refresh cookie ends its session, and no other client does`()
        async throws
    {
        try await withNativeProvider { native in
            let response = try await openShop(native)
            let cookie = try secret(response).expose()
            func revoke(_ token: String, of client: ClientID) async throws {
                try await native.revocation.revoke(
                    try Provider.parameters([("token", token), ("client_id", client.rawValue)]), basic: .absent,
                    origin: origin())
            }
            let other = try await refusal { try await revoke(cookie, of: "news") }
            #expect(other == "invalid_grant other_client")
            #expect(try await native.isActive(response))
            try await revoke(cookie, of: NativeProvider.shop)
            let isActive = try await native.isActive(response)
            #expect(!isActive)
            // Dead, and unknown (RFC 7009 §2.2).
            let unknown = OpaqueSecret.make(.sessionRefresh, random: .system).expose()
            for token in [cookie, unknown] { try await revoke(token, of: NativeProvider.shop) }
            let reasons = try await native.records(.webSessionEnded).map(\.reason)
            #expect(reasons == ["revoked"])
        }
    }

    @Test func `a refresh cookie signs out together with its anti-CSRF value alone`() async throws {
        try await withNativeProvider { native in
            let response = try await openShop(native)
            let cookie = try secret(response)
            for proof in [nil, "", "x"] as [String?] {
                let forged = try await refusal {
                    try await native.refreshing.signOut(cookie, proof: proof, origin: origin())
                }
                #expect(forged == "forbidden ")
            }
            #expect(try await native.isActive(response))
            let proof = AntiCSRF.value(for: cookie).expose()
            let hasEnded = try await native.refreshing.signOut(cookie, proof: proof, origin: origin())
            let again = try await native.refreshing.signOut(cookie, proof: proof, origin: origin())
            #expect(hasEnded && !again)
            let isActive = try await native.isActive(response)
            #expect(!isActive)
        }
    }

    @Test func `signing out clears every cookie, the refresh cookie at each of its routes`() async throws {
        try await withNativeProvider { native in
            let first = try await openShop(native)
            let session = try #require(try await native.refreshing.session(of: try secret(first)))
            #expect(try session.id == native.session(of: first))
            let shop = try #require(native.service.clients.current[NativeProvider.shop])
            let cleared = CookieTokens.cleared(
                of: shop, refreshPaths: [CookieTokens.refreshPath, "/elsewhere/refresh"])
            let set = try #require(first.cookies)
            // A browser takes a cookie away only by its very name, path and domain (RFC 6265 §5.3).
            func place(_ cookie: TokenCookie) -> [String?] { [cookie.name, cookie.path, cookie.domain] }
            let elsewhere = ["\(shop.cookiePrefix)refresh_token", "/elsewhere/refresh", nil]
            #expect(Set(cleared.map(place)) == Set(set.map(place) + [elsewhere]))
            #expect(cleared.allSatisfy { $0.maximumAge == .zero && $0.value.expose().isEmpty })
        }
    }
}

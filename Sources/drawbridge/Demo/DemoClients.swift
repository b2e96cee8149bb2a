import Bridge
import Crypto
import OAuth2

/// The demo's registered clients (contract §15).
struct DemoClients: Sendable {
    static let app: ClientID = "demo-app"
    static let web: ClientID = "demo-web"
    static let admin: ClientID = "demo-admin"

    private let seed: Secret<[UInt8]>

    /// - Parameter seed: secrets are derived from it, so that a second start on the same folder has the same.
    init(seed: Secret<[UInt8]>) { self.seed = seed }

    init(folder: DemoFolder) throws {
        let path = folder.path(of: .masterKey)
        guard let seed = try MasterKeyFile.read(path) else { throw PrivateFileError.missing(path) }
        self.init(seed: seed)
    }

    /// `client_secret`; `nil` for a public client.
    func secret(of id: ClientID) -> OpaqueSecret? {
        guard ["demo-web", "demo-rp", "demo-admin"].contains(id) else { return nil }
        let bytes = Array(
            HMAC<SHA256>.authenticationCode(
                for: Array("demo client secret \(id.rawValue)".utf8), using: SymmetricKey(data: seed.expose())))
        return OpaqueSecret.make(.clientSecret, random: RandomSource { _ in bytes })
    }

    func all() throws -> [Client] {
        try [
            nativeApp(Self.app, name: "Demo app", scheme: "com.example.demo", sharing: ["demo-app-b", "demo-webview"]),
            nativeApp(
                "demo-app-b", name: "Demo app B", scheme: "com.example.demob", sharing: ["demo-app", "demo-webview"],
                // Of the same maker: whoever signed in to the one is not asked again by the other.
                isFirstParty: true),
            website(), webView(), relyingParty(), administration(),
        ].map { client in
            var client = client
            client.secretDigest = secret(of: client.id)?.digest
            return client
        }
    }

    /// Puts them in the database, where an administrator can change and delete them, and a later start leaves that so.
    ///
    /// The log says which of them were there once: a start that was killed in the middle is made good by the next, on
    /// whichever node.
    func prepare(in storage: any BridgeStorage, at now: Timestamp) async throws {
        let known = Set(try await storage.clients().map(\.id))
        for client in try all() where !known.contains(client.id) {
            var earlier = AuditFilter(type: .clientCreated)
            earlier.clientID = client.id
            let isNew = try await storage.search(earlier, before: nil, limit: 1).records.isEmpty
            // The website that apps open by default is made again: without it no server starts.
            guard isNew || client.id == Self.web else { continue }
            let event = AuditEvent(
                at: now, type: .clientCreated, outcome: .success, reason: "demo", clientID: client.id)
            _ = try await storage.save(client, expecting: .absent, event: event)
        }
    }

    private func nativeApp(
        _ id: ClientID, name: String, scheme: String, sharing: Set<ClientID>, isFirstParty: Bool = false
    ) throws -> Client {
        var client = Client(id: id, name: name, kind: .native, canIssueLoginTokens: true, mayReach: [Self.web])
        client.redirectURIs = try [
            "\(scheme):/callback", "http://127.0.0.1/callback", "http://[::1]/callback",
            "https://app.example.com/callback",
        ].map { try RedirectURI(registering: $0, rules: RedirectURIRules(isNative: true)) }
        client.postLogoutRedirectURIs = [
            try RedirectURI(registering: "\(scheme):/signed-out", rules: RedirectURIRules(isNative: true))
        ]
        client.grantTypes = [.authorizationCode, .refreshToken, .tokenExchange, .deviceCode]
        client.isNativeSSOEnabled = true
        client.isFirstParty = isFirstParty
        client.shareWith = sharing
        return client
    }

    private func website() throws -> Client {
        var client = Client(
            id: Self.web, name: "Demo website", kind: .web,
            returnPaths: try ReturnPathPolicy(
                entries: ["/contacts", "/account/*", "/user/contacts/index.php"], defaultPath: "/contacts"))
        client.grantTypes = [.tokenExchange]
        return client
    }

    private func webView() -> Client {
        var client = Client(id: "demo-webview", name: "Demo web view", kind: .web)
        client.authenticationMethod = .none
        client.grantTypes = [.tokenExchange, .refreshToken]
        client.isNativeSSOEnabled = true
        client.delivery = .cookies
        client.cookieProfile = .tokens
        client.cookiePrefix = "vagov_"
        return client
    }

    private func relyingParty() throws -> Client {
        var client = Client(id: "demo-rp", name: "Demo relying party", kind: .web)
        let rules = RedirectURIRules(isNative: false)
        client.redirectURIs = try ["https://rp.example.com/callback", "https://rp.example.com/callback?foo=bar"].map {
            try RedirectURI(registering: $0, rules: rules)
        }
        client.postLogoutRedirectURIs = [
            try RedirectURI(registering: "https://rp.example.com/signed-out", rules: rules)
        ]
        client.grantTypes = [.authorizationCode, .refreshToken]
        client.requiresPKCE = false
        return client
    }

    private func administration() -> Client {
        var client = Client(id: Self.admin, name: "Demo administration", kind: .service)
        client.scope = Scope(tokens: [Scope.admin])
        client.accessTokenLifetime = .seconds(86_400)
        return client
    }
}

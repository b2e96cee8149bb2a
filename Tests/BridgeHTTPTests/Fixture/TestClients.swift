import Bridge
import OAuth2

/// One app, and websites that differ in what matters to the HTTP side.
enum TestClients {
    /// Of one of them.
    static let theme = Theme(
        name: "Needle & Thread", logo: "drawbridge.svg",
        accent: Accent(light: Colour(0x7A1F5C), dark: Colour(0xFF9AD5)))

    static func directory() throws -> ClientDirectory {
        let paths = try ReturnPathPolicy(
            entries: ["/contacts", "/account/*"], defaultPath: "/contacts")
        var dressed = Client(id: "dressed", name: "Dressed", kind: .web, returnPaths: paths)
        dressed.theme = theme
        var shop = Client(
            id: "shop", name: "Shop", kind: .web, publicOrigin: WebOrigin("https://shop.example"), returnPaths: paths)
        shop.theme.name = "The Shop"
        return ClientDirectory(
            [
                Client(
                    id: "app", name: "App", kind: .native, canIssueLoginTokens: true,
                    mayReach: ["web", "shop", "careful", "tolerant", "dressed"]),
                Client(id: "reader", name: "Reader", kind: .native),
                Client(id: "web", name: "Web", kind: .web, returnPaths: paths),
                shop, dressed,
                Client(id: "careful", name: "Careful", kind: .web, returnPaths: paths, redeemMode: .confirm),
                Client(id: "tolerant", name: "Tolerant", kind: .web, returnPaths: paths, replayResponse: .alert),
            ], defaultTarget: "web")
    }
}

/// Bearers of the form `<subject>.<client>`, with an optional `.<acr>`; everything else is refused. Their issuer's users
/// are those of the accounts.
struct TestBearers: BearerAuthenticator {
    func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        let parts = token.expose().split(separator: ".").map(String.init)
        if token.expose() == "unavailable" { throw StorageError.unavailable("marker-inside") }
        guard parts.count == 2 || parts.count == 3 else { throw BearerRefusal.badSignature }
        return BearerIdentity(
            subject: Subject(rawValue: parts[0]), clientID: ClientID(rawValue: parts[1]),
            issuer: "https://issuer.example", authority: .trustedWithAccounts, sessionID: nil,
            authentication: Authentication(
                time: parts.count == 3 ? now - .seconds(60) : nil, acr: parts.count == 3 ? parts[2] : nil,
                amr: parts.count == 3 ? ["pwd"] : []),
            expiresAt: now + .seconds(3600))
    }

    func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool { false }
}

import Bridge
import BridgeHTTP

/// What has no effect beside `provider.enabled: false`: its paths are the OAuth provider's, and 404 (docs/sign-in.md, Start).
struct ProviderWarnings {
    /// One sentence for each.
    let sentences: [String]

    init(in settings: DrawbridgeSettings) {
        sentences = settings.provider.isEnabled ? [] : Self.parts(of: settings) + Self.fields(in: settings)
    }

    private static let need = "needs \(ProviderSettings.enabled.key.name), which is false"

    private static func parts(of settings: DrawbridgeSettings) -> [String] {
        let parts = [
            (CrossDeviceSettings.enabled.key.name, settings.crossDevice.isEnabled),
            (
                NativeSSOSettings.setting(of: .enabled).key.name,
                settings.nativeSSO.configured[.enabled] == .flag(true)
            ),
            (NativeSSOSettings.compatibility.key.name, settings.nativeSSO.servesSignInCompatibility),
        ]
        return parts.filter(\.1).map { name, _ in "\(name) \(need): it has no effect." }
    }

    private static func fields(in settings: DrawbridgeSettings) -> [String] {
        settings.clients.enumerated().flatMap { index, client -> [String] in
            var found: [String] = []
            func note(_ field: String, _ consequence: String) {
                found.append("clients[\(index)].\(field) of \(client.id) \(need): \(consequence).")
            }
            // A trusted issuer's token may name one that asks for login tokens.
            if client.kind == .service, !client.canIssueLoginTokens {
                note("client_type: service", "nothing issues access tokens to it")
            }
            if let page = client.redemptionPage, !settings.site.redemptionPaths.contains(page) {
                note("redemption_page", "the server of \(page) has nowhere to redeem login links")
            }
            if client.backchannelLogoutURI != nil {
                note("backchannel_logout_uri", "nothing signs logout tokens (webhook_uri works without it)")
            }
            return found
        }
    }
}

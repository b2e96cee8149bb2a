import Bridge
import BridgeHTTP

/// Where browsers and apps reach the service.
struct OriginSettings {
    static let publicOrigin = Setting.origin(
        "public_origin", required: true,
        "Where login links lead: the website's origin. Plain http is accepted for loopback hosts only.")
    static let issuer = Setting.origin(
        "issuer",
        "Where the OAuth provider is, with its sign-in and consent pages: an origin of its own, which is also the issuer "
            + "of tokens. Default: public_origin.")
    static let admin = Setting.origin(
        "admin.origin",
        "Where the console and the administration API are: an origin of its own; elsewhere they do not exist then. "
            + "Default: the issuer's.")

    /// `nil` when the required origin is missing or malformed, which is noted.
    let origins: Origins?
    /// The origin of the provider, as far as it is known.
    let issuer: WebOrigin?
    /// Whether provider or console have an origin of their own.
    let areApart: Bool
    /// Whether one of them is plain http.
    let isPlain: Bool

    init(reading settings: SettingsReader) {
        let all = [Self.publicOrigin, Self.issuer, Self.admin].map { setting in
            let origin = settings[setting]
            if let origin, !origin.isSecure, !origin.isLoopback {
                settings.note(
                    setting, value: settings.raw.values[setting.key.name]?.text,
                    "must be https: browsers would send tokens and cookies in the clear")
            }
            return origin
        }
        origins = all[0].map { Origins(website: $0, issuer: all[1], admin: all[2]) }
        issuer = all[1] ?? all[0]
        areApart = all[1] != nil || all[2] != nil
        isPlain = all.contains { $0?.isSecure == false }
        guard let origins else { return }
        if !settings.isSet(Self.issuer) { settings.show(Self.issuer, as: origins.issuer.description) }
        if !settings.isSet(Self.admin) { settings.show(Self.admin, as: origins.admin.description) }
    }
}

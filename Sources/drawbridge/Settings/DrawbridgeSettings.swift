import Bridge
import BridgeHTTP
import Federation
import SQLStorage

/// The second stage: every setting parsed, checked and filled with its default, by the wing that it belongs to.
/// Services take the wing they need.
struct DrawbridgeSettings: Sendable {
    /// Under which origins this instance answers. `iss` of everything that is signed here is the issuer's.
    let origins: Origins
    let listeners: ListenerSettings
    var storage: StorageSettings
    let site: SiteSettings
    var provider: ProviderSettings
    let loginTokenLifetime: Duration
    let sessions: SessionSettings
    let audit: AuditSettings
    let process: ProcessSettings
    let alerts: AlertSettings
    let telemetry: TelemetrySettings
    let rateLimits: RateLimitSettings
    /// `nil` when this process shares with no other.
    var redis: SharedRedisSettings?
    let nativeSSO: NativeSSOSettings
    let selfIssued: SelfIssuedSettings
    let crossDevice: CrossDeviceSettings
    let clients: [Client]
    let upstreamProviders: [UpstreamProviderSettings]
    var trustedIssuers: [TrustedIssuerSettings]
    let auditForwarders: [AuditForwardTarget]

    /// Every wing reads itself, whatever the others hold: so all problems are told at once, and every key is declared.
    ///
    /// What is wrong is noted with the reader; a server takes ``SettingsInForce``, which refuses it.
    /// - Returns: `nil` without an origin, which is noted.
    init?(reading settings: SettingsReader) {
        let origins = OriginSettings(reading: settings)
        listeners = ListenerSettings(reading: settings, servesPlainOrigin: origins.isPlain)
        storage = StorageSettings(reading: settings)
        site = SiteSettings(reading: settings)
        provider = ProviderSettings(reading: settings)
        loginTokenLifetime = settings[LoginTokenSettings.lifetime]
        sessions = SessionSettings(reading: settings, in: storage.directory)
        audit = AuditSettings(reading: settings, in: storage.directory)
        process = ProcessSettings(reading: settings)
        alerts = AlertSettings(reading: settings)
        telemetry = TelemetrySettings(reading: settings)
        rateLimits = RateLimitSettings(reading: settings)
        redis = SharedRedisSettings(reading: settings)
        nativeSSO = NativeSSOSettings(reading: settings)
        selfIssued = SelfIssuedSettings(reading: settings, at: origins.issuer, beside: site)
        crossDevice = CrossDeviceSettings(reading: settings)
        clients = ClientSettings.read(
            settings, defaults: sessions.defaults, publicDirectory: site.publicDirectory,
            isProvider: provider.isEnabled)
        upstreamProviders = UpstreamProviderSettings.read(settings)
        trustedIssuers = TrustedIssuerSettings.read(
            settings,
            beside: OwnIssuer(
                issuer: origins.issuer, isProvider: provider.isEnabled, upstreamProviders: upstreamProviders,
                takesPhoneKeys: selfIssued.isEnabled))
        auditForwarders = AuditForwardTarget.read(settings)
        guard let found = origins.origins else { return nil }
        self.origins = found
        if site.signInURL == nil { settings.show(SiteSettings.signInURL, as: signInURL) }
    }
}

// What follows from several wings.
extension DrawbridgeSettings {
    var loginTokens: LoginTokenSettings {
        LoginTokenSettings(
            publicOrigin: origins.website, issuer: origins.issuer, redemptionPath: site.redemptionPaths[0],
            defaultLifetime: loginTokenLifetime)
    }

    /// Where apps reach a website its front page knows how to sign in; without one there is our own page alone.
    var signInURL: String {
        site.signInURL
            ?? (site.defaultWebClient != nil || clients.contains { !$0.mayReach.isEmpty } ? "/" : SignInPath.page)
    }

    /// The normal sign-in, as pages of every origin may link it.
    var absoluteSignInURL: String {
        guard origins.areApart, signInURL.hasPrefix("/") else { return signInURL }
        return (signInURL == SignInPath.page ? origins.issuer : origins.website).description + signInURL
    }
}

/// The settings in force, with what `check-config` says about them.
struct SettingsInForce {
    let settings: DrawbridgeSettings
    let raw: RawSettings
    /// See ``SettingsReader/shown``.
    let shown: [String: String]

    /// - Throws: ``SettingsRefused`` with every problem there is.
    init(_ raw: RawSettings) throws(SettingsRefused) {
        guard !raw.isUnread else { throw SettingsRefused(problems: raw.problems) }
        let reader = SettingsReader(raw)
        let settings = DrawbridgeSettings(reading: reader)
        guard let settings, reader.problems.isEmpty else { throw SettingsRefused(problems: reader.problems) }
        self.settings = settings
        self.raw = raw
        shown = reader.shown
    }
}

import Bridge

/// The OAuth provider, and what passwords of its users cost.
struct ProviderSettings: Sendable {
    static let enabled = Setting.boolean(
        "provider.enabled", default: true,
        "Whether this is an OAuth 2.0 and OpenID Connect provider itself; false leaves it beside another one only.")
    static let sessionLifetime = Setting.duration(
        "provider.app_session_lifetime", .seconds(3600)...(.seconds(400 * 86_400)),
        default: DurationText.describe(AppSession.defaultLifetime),
        "How long an app stays signed in at most, however often it refreshes.")
    static let refreshTokenIdle = Setting.duration(
        "provider.refresh_token_idle", .seconds(300)...(.seconds(400 * 86_400)),
        default: DurationText.describe(RefreshTokens.defaultIdleLifetime),
        "How long a refresh token may stay unused.")
    static let passkeys = Setting.boolean(
        "provider.passkeys", default: true,
        "Whether users may sign in with passkeys; only at https origins that have a name, and at localhost.")
    static let bearerCacheSize = Setting.integer(
        "bearer.cache_size", 0...10_000_000, default: 10_000,
        "How many verified bearer tokens are remembered, by digest, until they expire.")
    static let requiresProofNonce = Setting.boolean(
        "dpop.require_nonce", default: false,
        "Whether a DPoP proof is refused without a nonce of this service (RFC 9449 §8); every answer to a proof brings "
            + "one.")

    /// Whether this is a provider itself; otherwise it only works next to another one.
    let isEnabled: Bool
    let sessionLifetime: Duration
    let refreshTokenIdle: Duration
    let offersPasskeys: Bool
    let bearerCacheSize: Int
    /// Whether a DPoP proof needs a nonce of ours.
    let requiresProofNonce: Bool
    /// The cost of passwords that are hashed from now on.
    var passwordCost: PasswordCost

    init(reading settings: SettingsReader) {
        isEnabled = settings[Self.enabled]
        sessionLifetime = settings[Self.sessionLifetime]
        refreshTokenIdle = settings[Self.refreshTokenIdle]
        offersPasskeys = settings[Self.passkeys]
        bearerCacheSize = settings[Self.bearerCacheSize]
        requiresProofNonce = settings[Self.requiresProofNonce]
        passwordCost = PasswordCost(reading: settings)
    }
}

extension PasswordCost {
    static let memoryLogarithm = Setting.integer(
        "password.memory_log2", 14...20, default: standard.logarithm,
        "Memory of one password hash: 14 is 16 MiB, and each step doubles it. Older hashes follow at the next sign-in.")
    static let passes = Setting.integer(
        "password.passes", 1...16, default: standard.parallelism,
        "Passes of one password hash; its time grows with them and with the memory.")

    init(reading settings: SettingsReader) {
        let logarithm = settings[Self.memoryLogarithm]
        let passes = settings[Self.passes]
        // Both numbers lie in ranges that a cost may have.
        self = PasswordCost(logarithm: logarithm, parallelism: passes) ?? .standard
    }
}

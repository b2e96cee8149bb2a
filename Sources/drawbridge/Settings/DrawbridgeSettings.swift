import Bridge
import BridgeHTTP
import Federation
import Logging
import SQLStorage

/// The second stage: every setting parsed, checked and filled with its default. Services take the part they need.
struct DrawbridgeSettings: Sendable {
    /// Certificate and key for TLS in process.
    struct TLSFiles: Hashable, Sendable {
        let certificate: String
        let privateKey: String
    }

    /// Where login links lead.
    let publicOrigin: WebOrigin
    let listen: ListenAddress
    let managementListen: ListenAddress
    let dataDirectory: String
    /// `nil` for the embedded database.
    let database: PostgresAddress?
    let node: String
    let signInURL: String
    let siteName: String
    let defaultWebClient: ClientID?
    /// The first one is what login URLs name.
    let redemptionPaths: [String]
    let trustedProxies: [NetworkPrefix]
    let publicDirectory: String?
    let tls: TLSFiles?
    /// Where the first version kept the login token keys, which the database takes over.
    let loginTokenKeysFile: String
    let loginTokenLifetime: Duration
    let sessionCacheSize: Int
    let bearerCacheSize: Int
    let auditSigningKeyFile: String
    /// Of passwords that are hashed from now on.
    let passwordCost: PasswordCost
    /// `nil` when they are lifted.
    let limits: LimitSettings?
    let trackedLimitKeys: Int
    /// What a node's audit log takes of refusals a second; never lifted with the limits.
    var auditedRefusalsPerSecond = RefusalCeiling.defaultPerSecond
    let appLinks: AppLinkSettings
    let connectionLimits: ServerLimits
    let logLevel: Logger.Level
    let purgeInterval: Duration
    let shutdownGrace: Duration
    let trustedIssuers: [TrustedIssuerSettings]
    let clients: [Client]
    /// `nil` when the provider is at the public origin.
    var issuerOrigin: WebOrigin?
    /// `nil` when the console is where the provider is.
    var adminOrigin: WebOrigin?
    /// `nil` when this process shares with no other.
    var redis: SharedRedisSettings?
    /// How long audit events stay; `nil` keeps them for ever.
    var auditRetention: Duration?
    var alerts = AlertSettings()
    var upstreamProviders: [UpstreamProviderSettings] = []
    var auditForwarders: [AuditForwardTarget] = []
    /// As it was named; see ``masterKeyPath``.
    var masterKeyFile: String?

    /// What seals signing keys and second factors.
    var masterKeyPath: String { masterKeyFile ?? "\(dataDirectory)/master-key" }

    /// What the configuration says of Native SSO; administrators may set other values over it.
    var nativeSSO: [NativeSSOField: NativeSSOValue] = [:]
    /// As it was named; see ``webhookSecretsPath``.
    var webhookSecretsDirectory: String?

    /// The folder of the files that clients' `webhook_secret_file` names.
    var webhookSecretsPath: String { webhookSecretsDirectory ?? "\(dataDirectory)/webhook-secrets" }

    /// Whether this is an OAuth provider itself; otherwise it only stands beside another one.
    var isProvider = true
    /// Whether a DPoP proof needs a nonce of ours.
    var requiresProofNonce = false
    /// Whether the paths of the VA's sign-in service are served.
    var signInCompatibility = false

    /// Under which origins this instance answers.
    var origins: Origins { Origins(website: publicOrigin, issuer: issuerOrigin, admin: adminOrigin) }

    /// `iss` of everything that is signed here, and where the provider's endpoints are.
    var issuer: WebOrigin { origins.issuer }

    /// The normal sign-in, as pages of every origin may link it.
    var absoluteSignInURL: String {
        guard origins.areApart, signInURL.hasPrefix("/") else { return signInURL }
        return (signInURL == "/sign-in" ? issuer : publicOrigin).description + signInURL
    }

    /// The database in the data folder (contract §13).
    var databasePath: String { "\(dataDirectory)/drawbridge.sqlite" }

    /// Reads, checks and resolves.
    /// - Throws: ``SettingsRefused`` with every problem there is.
    static func load(_ inputs: SettingsInputs) throws -> DrawbridgeSettings {
        try SettingsResolver.resolve(RawSettings.read(inputs)).settings
    }
}

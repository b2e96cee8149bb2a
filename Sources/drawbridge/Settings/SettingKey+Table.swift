// Every setting there is. A key that is not here is refused; `Config/drawbridge.example.yaml` shows all of them.
extension SettingKey {
    static let publicOrigin = SettingKey(
        "public_origin", .origin, required: true,
        "Where browsers reach this service. Plain http is accepted for loopback hosts only.")
    static let listen = SettingKey(
        "listen", .address, default: "127.0.0.1:8080", "Address and port for apps and browsers.")
    static let managementListen = SettingKey(
        "management_listen", .address, default: "127.0.0.1:8081",
        "Address and port of /livez, /readyz and /metrics. Keep it inside.")
    static let dataDirectory = SettingKey(
        "data_directory", .path, default: "/var/lib/drawbridge",
        "Folder of the database and, unless named elsewhere, the keys. Created with mode 0700 when missing.")
    static let database = SettingKey(
        "database", .database,
        "PostgreSQL database that several servers share: a postgres:// URL. Default: the embedded one.")
    static let node = SettingKey(
        "node", .text, default: "main", "This server's name; its audit events form one chain under this name.")
    static let signInURL = SettingKey(
        "sign_in_url", .text,
        "The normal sign-in page, linked from every refusal: a path or an https URL. Default: / of the website that "
            + "apps reach, or /sign-in when settings name none.")
    static let siteName = SettingKey(
        "site_name", .text, default: "Drawbridge", "What the pages call the website.")
    static let defaultWebClient = SettingKey(
        "default_web_client", .text, "The website that an app opens when its request names none: a client_id.")
    static let redemptionPaths = SettingKey(
        "redemption_paths", .list, default: "/login-with-token", "Paths that redeem a login token.")
    static let trustedProxies = SettingKey(
        "trusted_proxies", .list, default: "",
        "Networks (CIDR) whose X-Forwarded-For is believed. Empty: the connection's own address counts.")
    static let publicDirectory = SettingKey(
        "public_directory", .path, "Folder whose files replace the built-in assets of the same name.")
    static let tlsCertificate = SettingKey(
        "tls.certificate", .path, "PEM file with the certificate chain. Reread on SIGHUP.")
    static let tlsPrivateKey = SettingKey(
        "tls.private_key", .path, "PEM file with the private key; only its owner may read it. Reread on SIGHUP.")
    static let masterKeyFile = SettingKey(
        "master_key_file", .path,
        "Key that signing keys and second factors in the database are sealed with, made by `drawbridge keys init`. Default: master-key in data_directory."
    )
    static let providerEnabled = SettingKey(
        "provider.enabled", .boolean, default: "true",
        "Whether this is an OAuth 2.0 and OpenID Connect provider itself; false leaves it beside another one only.")
    static let loginTokenKeysFile = SettingKey(
        "login_token.keys_file", .path,
        "Login token keys of version 0.1, taken into the database at the first start. Default: login-token-keys.json in data_directory; need not exist."
    )
    static let loginTokenLifetime = SettingKey(
        "login_token.lifetime", .duration(.seconds(1)...(.seconds(60))), default: "60s",
        "How long a login token lives when the app does not ask for less.")
    static let sessionLifetime = SettingKey(
        "session.lifetime", .duration(.seconds(60)...(.seconds(90 * 86_400))), default: "12h",
        "A web session's absolute life, unless its client says otherwise.")
    static let sessionIdle = SettingKey(
        "session.idle", .duration(.seconds(60)...(.seconds(90 * 86_400))), default: "30m",
        "How long a web session may lie unused, unless its client says otherwise.")
    static let sessionCacheSize = SettingKey(
        "session.cache_size", .integer(0...10_000_000), default: "20000", "How many sessions are kept in memory.")
    static let bearerCacheSize = SettingKey(
        "bearer.cache_size", .integer(0...10_000_000), default: "10000",
        "How many verified bearer tokens are remembered, by digest, until they expire.")
    static let auditSigningKeyFile = SettingKey(
        "audit.signing_key_file", .path,
        "Ed25519 key that signs the audit log's checkpoints and cuts; made at the first start. Default: audit-signing-key in data_directory."
    )
    static let auditRetention = SettingKey(
        "audit.retention", .optionalDuration(.seconds(86_400)...(.seconds(3650 * 86_400))), default: "off",
        "How long audit events are kept at least; off keeps them for ever.")
    static let appLinksApple = SettingKey(
        "app_links.apple", .list, default: "",
        "App ids (TEAMID.bundle.id) for /.well-known/apple-app-site-association.")
    static let appLinksAndroid = SettingKey(
        "app_links.android", .list, default: "",
        "`package=SHA-256 fingerprint` pairs for /.well-known/assetlinks.json.")
    static let webhookSecretsDirectory = SettingKey(
        "webhooks.secrets_directory", .path,
        "Folder of the files that clients' webhook_secret_file names, each readable by its owner only. Default: webhook-secrets in data_directory."
    )
    static let dpopRequireNonce = SettingKey(
        "dpop.require_nonce", .boolean, default: "false",
        "Whether a DPoP proof is refused without a nonce of this service (RFC 9449 §8); every answer to a proof brings one."
    )
    static let passwordMemoryLogarithm = SettingKey(
        "password.memory_log2", .integer(14...20), default: "14",
        "Memory of one password hash: 14 is 16 MiB, and each step doubles it. Older hashes follow at the next sign-in.")
    static let passwordPasses = SettingKey(
        "password.passes", .integer(1...16), default: "5",
        "Passes of one password hash; its time grows with them and with the memory.")
    static let logLevel = SettingKey(
        "log.level", .choice(["debug", "info", "notice", "warning", "error"]), default: "info",
        "The least important log lines that are written.")
    static let purgeInterval = SettingKey(
        "purge.interval", .duration(.seconds(1)...(.seconds(86_400))), default: "1m",
        "How often expired tokens and sessions are removed.")
    static let shutdownGrace = SettingKey(
        "shutdown_grace", .duration(.seconds(0)...(.seconds(600))), default: "10s",
        "How long requests in flight may take to finish after SIGTERM.")
    static let trustedIssuers = SettingKey(
        "trusted_issuers", .objects, "Whose bearer tokens are believed. At least one is needed to issue.")
    static let upstreamProviders = SettingKey(
        "upstream_providers", .objects, "OpenID Providers of others that users may sign in with.")
    static let auditForwarders = SettingKey(
        "audit_forwarders", .objects,
        "Receivers that every audit event is sent to: syslog over TLS, or JSON Lines over https.")
    static let clients = SettingKey(
        "clients", .objects, "Apps and websites. More can be added to the database with `drawbridge clients add`.")

    static let all: [SettingKey] =
        [
            publicOrigin, listen, managementListen, dataDirectory, database, node, signInURL, siteName,
            defaultWebClient, redemptionPaths, trustedProxies, publicDirectory, tlsCertificate, tlsPrivateKey,
            masterKeyFile, providerEnabled, loginTokenKeysFile, loginTokenLifetime,
            sessionLifetime, sessionIdle, sessionCacheSize, bearerCacheSize, auditSigningKeyFile, auditRetention,
            appLinksApple, appLinksAndroid, dpopRequireNonce, webhookSecretsDirectory,
            passwordMemoryLogarithm, passwordPasses, logLevel, purgeInterval,
            shutdownGrace,
        ] + alerts + limits + redis + http + nativeSSO + [trustedIssuers, upstreamProviders, auditForwarders, clients]

    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

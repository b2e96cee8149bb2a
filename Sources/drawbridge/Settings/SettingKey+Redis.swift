// Redis, through which several servers share their replay guard, their limits and word of ended sessions.
extension SettingKey {
    static let redisURL = SettingKey(
        "redis.url", .list, default: "",
        "redis://host[:port][,host[:port]...][/database], or rediss:// for TLS. Empty: this process shares with nobody."
    )
    static let redisUser = SettingKey("redis.user", .text, "User of Redis's access list. Needs redis.password_file.")
    static let redisPasswordFile = SettingKey(
        "redis.password_file", .path, "File with the password; only its owner may read it.")
    static let redisTopology = SettingKey(
        "redis.topology", .choice(["standalone", "sentinel", "cluster"]), default: "standalone",
        "What the addresses in redis.url are: servers, sentinels, or nodes of a cluster.")
    static let redisSentinelMaster = SettingKey(
        "redis.sentinel_master", .text, "The name by which the sentinels know the master.")
    static let redisAuthority = SettingKey(
        "redis.tls.ca_file", .path, "PEM file of the authorities to trust instead of the system's.")
    static let redisCertificate = SettingKey(
        "redis.tls.certificate", .path, "PEM file with our own certificate, for servers that ask for one.")
    static let redisPrivateKey = SettingKey(
        "redis.tls.private_key", .path, "PEM file with its private key; only its owner may read it.")
    static let redisPrefix = SettingKey(
        "redis.prefix", .text, default: "drawbridge:", "Stands in front of every key and channel.")
    static let redisOnFailure = SettingKey(
        "redis.on_failure", .choice(["database", "refuse"]), default: "database",
        "What redemptions do while Redis is away: let the database alone decide, or be refused with 503.")

    static let redis: [SettingKey] = [
        redisURL, redisUser, redisPasswordFile, redisTopology, redisSentinelMaster, redisAuthority, redisCertificate,
        redisPrivateKey, redisPrefix, redisOnFailure,
    ]
}

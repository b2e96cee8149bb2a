import Bridge
import RedisStorage

/// The Redis that several servers share, and what holds while it is away.
struct SharedRedisSettings: Sendable {
    let connection: RedisSettings
    let prefix: String
    let outagePolicy: ReplayGuardOutagePolicy

    init(
        connection: RedisSettings, prefix: String = "drawbridge:", outagePolicy: ReplayGuardOutagePolicy = .database
    ) {
        self.connection = connection
        self.prefix = prefix
        self.outagePolicy = outagePolicy
    }
}

import Bridge
import Logging
import ServiceLifecycle

/// Learns twice a second which sessions other processes ended (contract §7 promises one second).
struct SessionNewsService: Service {
    let sessions: WebSessions
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(500), task: "read ended sessions", logger: logger).run {
            try await sessions.refresh()
        }
    }
}

/// Learns twice a second who is disabled.
struct DisabledUserService: Service {
    let users: DisabledUsers
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(500), task: "read disabled users", logger: logger).run {
            try await users.refresh()
        }
    }
}

/// Learns twice a second, and when the bell rings, which signing keys other processes added or retired, and says which
/// ones this node has.
struct KeyNewsService: Service {
    let keys: SigningKeys
    /// Rung where another server says that it changed the keys.
    let bell: NoticeBell
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(500), task: "read signing keys", logger: logger).run(wokenBy: bell) {
            try await keys.refresh()
        }
    }
}

/// Hears at once which sessions other servers ended, and that they changed the keys.
struct RevocationService: Service {
    let channel: any RevocationChannel
    let sessions: WebSessions
    /// Wakes whoever reads the keys.
    let keyNews: NoticeBell

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await channel.listen { news in
                sessions.take(news)
                guard news == .keysChanged || news == .gap else { return }
                // What is lost here, the poll finds.
                keyNews.ring()
            }
        }
    }
}

/// Learns every 750 ms which clients another node, or a command, has changed.
struct ClientNewsService: Service {
    let clients: ClientReloader
    let logger: Logger

    func run() async throws {
        await Recurring(interval: .milliseconds(750), task: "read clients", logger: logger).run {
            try await clients.reloadStored()
        }
    }
}

import NIOCore

#if canImport(Glibc)
    import Glibc
#endif

/// How many files this process may have open at once, connections among them (getrlimit(2), `RLIMIT_NOFILE`).
///
/// A process that has none left accepts nothing more, not even for `/livez`, and libdispatch ends it where it cannot open
/// one of its own. So no more connections are served than there are files for.
struct OpenFiles: Hashable, Sendable {
    /// Connections to the management listener: a few probes and whoever collects metrics.
    static let managementConnections = 100

    /// `nil` where the system does not say.
    let limit: Int?
    /// Each has files of its own: what it waits with.
    let eventLoops: Int

    init(limit: Int?, eventLoops: Int = System.coreCount) {
        self.limit = limit
        self.eventLoops = eventLoops
    }

    /// Raises the soft limit, which is low for programs of long ago, to the hard one, which is the administrator's.
    static func raised() -> OpenFiles {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limits = rlimit()
            guard getrlimit(resource, &limits) == 0 else { return OpenFiles(limit: nil) }
            var wanted = limits
            wanted.rlim_cur = limits.rlim_max
            if setrlimit(resource, &wanted) == 0 { limits = wanted }
            return OpenFiles(limit: Int(clamping: limits.rlim_cur))
        #else
            return OpenFiles(limit: nil)
        #endif
    }

    /// Kept for all but the public listener's connections: the database, Redis, what is asked of issuers and told to
    /// websites, logs, the management listener.
    var reserve: Int { 256 + 3 * eventLoops }

    /// As many of the connections that the settings allow as there are files for. Of a limit that is hardly above the
    /// reserve a quarter: such a server has little to do, and none at all would be no server.
    func connections(of wanted: Int) -> Int {
        guard let limit else { return wanted }
        return min(wanted, max(limit - reserve, limit / 4, 1))
    }

    /// A sentence where that is fewer.
    func warning(wanting wanted: Int) -> String? {
        let served = connections(of: wanted)
        guard let limit, served < wanted else { return nil }
        return """
            http.max_connections: \(served) connections are served at once, not \(wanted): this process may open \
            \(limit) files. Raise the hard limit, RLIMIT_NOFILE (LimitNOFILE of a systemd unit), to \
            \(wanted + reserve), or lower the setting.
            """
    }
}

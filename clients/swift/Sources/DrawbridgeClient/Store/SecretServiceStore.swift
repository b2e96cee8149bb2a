#if os(Linux)
    public import Foundation

    /// Keeps secrets in the desktop's Secret Service (GNOME Keyring, KWallet, KeePassXC) by way of `secret-tool`.
    public struct SecretServiceStore: SecretStore {
        private let tool: SecretTool
        /// Where locks are kept, since the service has none. The user's runtime folder is theirs alone and is gone with
        /// the session.
        private let locks: FileSecretStore?

        /// - Parameters:
        ///   - tool: the program `secret-tool`.
        ///   - runtimeFolder: the user's; without one no other process is kept out.
        init(tool: SecretTool, runtimeFolder: String?) {
            self.tool = tool
            locks = runtimeFolder.map {
                FileSecretStore(folder: URL(fileURLWithPath: $0).appendingPathComponent("drawbridge-locks"))
            }
        }

        /// The user's secret service, when `secret-tool` is installed and a service answers on the session bus.
        public static func available(
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) async -> SecretServiceStore? {
            guard environment["DBUS_SESSION_BUS_ADDRESS"] != nil || environment["XDG_RUNTIME_DIR"] != nil,
                let tool = SecretTool(environment: environment)
            else { return nil }
            // A search for what is not there: silent when a service looked, a complaint when there is none.
            guard let probe = try? await tool.run(["lookup", "service", "drawbridge-probe"]), probe.complaint.isEmpty
            else { return nil }
            return SecretServiceStore(
                tool: tool, runtimeFolder: environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil })
        }

        /// As ``SecretStore/read(_:)`` says.
        public func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? {
            let done = try await tool.run(["lookup"] + Self.attributes(of: item))
            if done.status == 0 { return Redacted(done.output) }
            guard done.complaint.isEmpty else { throw .secretStore("the secret service does not answer") }
            return nil
        }

        /// As ``SecretStore/write(_:to:)`` says. The secret goes in by standard input: arguments are visible to
        /// everyone.
        public func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
            let label = "--label=Drawbridge sign-in (\(item.account))"
            let done = try await tool.run(["store", label] + Self.attributes(of: item), input: secret)
            guard done.status == 0 else { throw .secretStore("the secret service keeps nothing") }
        }

        /// As ``SecretStore/remove(_:)`` says.
        public func remove(_ item: SecretItem) async throws(ClientError) {
            let done = try await tool.run(["clear"] + Self.attributes(of: item))
            guard done.status == 0 || done.complaint.isEmpty else {
                throw .secretStore("the secret service forgets nothing")
            }
        }

        /// As ``SecretStore/lock(_:)`` says, where the desktop has a folder for what lasts as long as the session.
        public func lock(_ item: SecretItem) async throws(ClientError) -> SecretLock {
            try await locks?.lock(item) ?? .none
        }

        /// All three always: a search with fewer attributes would find the items of another group.
        private static func attributes(of item: SecretItem) -> [String] {
            ["service", item.service, "account", item.account, "access_group", item.accessGroup ?? "none"]
        }
    }
#endif

/// Everything that must last, on one engine. Services take the role they need, never this.
package protocol BridgeStorage: AuditLog, AuditUpkeep, AuditForwardCursors, ClientStore, UserStore, SessionStore,
    AdminSessionStore, WebhookStore, ProviderStorage, LoginTokenStore, DeviceStore, LinkedKeyStore,
    SelfIssuedTransactionStore, CrossDeviceStore, PasskeyStore, UpstreamSessionStore, BearerStore
{
    /// Removes transactions of sign-ins by phone whose end is before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgeSelfIssued(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int

    /// Whether the engine can write now; what `/readyz` asks.
    /// - Throws: ``StorageError`` when it cannot.
    func checkWritable() async throws

    /// Whether this process still is its node, as the last batch or the last renewal found.
    var nodeStanding: NodeStanding { get }

    /// - Parameter body: called now, and whenever the standing changes.
    func observeNode(_ body: @escaping @Sendable (NodeStanding) -> Void)

    /// - Parameter body: told how long the one connection that writes was held, and by what, each time.
    func observeWriter(_ body: @escaping @Sendable (WriterWork, Duration) -> Void)

    /// - Parameter body: told every half second how many writes wait for that connection.
    func observeQueue(_ body: @escaping @Sendable (_ waiting: Int) -> Void)

    /// Nodes that write to the database now, besides this process.
    func livingNodes() async throws -> [String]

    /// Begins a new restore epoch: what could be used a second time is over, and with it every session unless they are
    /// kept.
    /// - Parameters:
    ///   - actor: the person or program that restored the database, for the log.
    ///   - reason: why, for the log.
    func recordRestore(
        by actor: AdminActor, at now: Timestamp, keepsSessions: Bool, reason: String?
    ) async throws -> RestoreReport

    /// Signs and stores a checkpoint of this node's chain when it has grown since the last one, then lets go of the
    /// engine. Nothing may be called afterwards.
    func close() async throws
}

/// What the token side of the OAuth provider keeps.
package protocol ProviderStorage: GrantStore, RequestStore, SigningKeyStore, LogoutNoticeStore,
    DeviceAuthorizationStore, DevicePolls
{}

/// What a restore did to what the database has.
package struct RestoreReport: Sendable {
    /// How many of what were ended.
    package let ended: [(name: String, count: Int)]
    /// Phones' keys that were left because they are their users' only way in.
    package let keysLeft: [(subject: Subject, thumbprint: String)]

    package init(ended: [(name: String, count: Int)], keysLeft: [(subject: Subject, thumbprint: String)]) {
        self.ended = ended
        self.keysLeft = keysLeft
    }
}

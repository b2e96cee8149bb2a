import Bridge

/// The names of all that is kept in Redis, and of the channel: each kind has a letter or a word of its own.
package struct RedisKeys: Sendable {
    /// Unless an operator says otherwise.
    package static let standardPrefix = "drawbridge:"

    /// It stands in front of every name, so that a server can be shared.
    private let prefix: String

    init(prefix: String) { self.prefix = prefix }

    /// - Parameter digest: of whom or what is counted.
    func limit(_ scope: String, _ digest: String) -> String { "\(prefix)l:\(scope):\(digest)" }

    func redeemed(_ id: TokenID) -> String { "\(prefix)t:\(id.rawValue)" }

    func recentTry(_ id: TokenID) -> String { "\(prefix)w:\(id.rawValue)" }

    func crossDevice(_ key: String) -> String { "\(prefix)x:\(key)" }

    func waitingDevice(_ digest: String) -> String { "\(prefix)d:\(digest)" }

    /// - Parameter name: what is remembered.
    func memory(_ name: String) -> String { "\(prefix)m:\(name)" }

    func selfIssued(_ digest: String) -> String { "\(prefix)siop:tx:\(digest)" }

    /// What is written and deleted again, to see whether it can be.
    var check: String { "\(prefix)check" }

    /// The channel of ended sessions and changed keys.
    var endings: String { "\(prefix)ended" }
}

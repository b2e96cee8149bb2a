import Synchronization

/// What a node has told its store of whose ends are to be queued.
///
/// Nodes may know different clients for a while. A notice too many is dropped in the end, and one that was never queued
/// is lost; so a client stays subscribed for as long as any node knows where it is told: each node puts its own back,
/// and takes out none that only others know.
final class NoticeSubscription: Sendable {
    typealias Change = @Sendable (_ added: Set<ClientID>, _ removed: Set<ClientID>) async throws -> Void

    private let change: Change
    private let told = Mutex<Set<ClientID>>([])

    init(change: @escaping Change) { self.change = change }

    /// - Parameter wanted: the clients of this node that are told of ends; others that it named before are taken out.
    func tell(_ wanted: Set<ClientID>) async throws {
        let gone = told.withLock { $0 }.subtracting(wanted)
        try await change(wanted, gone)
        told.withLock { $0 = wanted }
    }

    /// Takes a client out that no node was found to know, until one that does puts it back: the settings file may have
    /// lost it with a restart, in which no node saw it go.
    func takeOut(_ client: ClientID) async throws { try await change([], [client]) }
}

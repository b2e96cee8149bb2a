import Synchronization

@testable import RedisStorage

/// What two nodes of a cluster answer, of which the first serves all slots until the second takes its place.
final class Failover: Sendable {
    enum Node: String, Sendable { case first, second }

    /// How the first node ends.
    enum Loss: CaseIterable, Sendable { case clusterDown, unservedSlot, refusedConnection }

    /// What keeps the first node from answering while no other takes its place.
    enum Outage: CaseIterable, Sendable { case clusterDown, slotsOfNobody }

    private struct State {
        var first = 0
        var second = 0
        var loss: Loss?
        var outage: Outage?
        var timesAsked = 0
    }

    private let state = Mutex(State())

    /// How often a node was asked for the slots.
    var timesAsked: Int { state.withLock { $0.timesAsked } }

    /// Told when both listen, which is before anybody asks.
    func note(first: RedisAddress, second: RedisAddress) {
        state.withLock { state in
            state.first = first.port
            state.second = second.port
        }
    }

    func begin(_ loss: Loss) { state.withLock { $0.loss = loss } }

    func begin(_ outage: Outage) { state.withLock { $0.outage = outage } }

    func answer(_ command: [String], by node: Node) -> String {
        state.withLock { state in
            if command[0] == "CLUSTER" {
                state.timesAsked += 1
                // A node that has lost the others knows of nobody in its place.
                let master = node == .second && state.loss != nil ? state.second : state.first
                return Self.slots(through: state.outage == .slotsOfNobody ? 0 : HashSlot.count - 1, of: master)
            }
            if state.outage == .clusterDown || node == .first && state.loss == .clusterDown {
                return "-CLUSTERDOWN The cluster is down\r\n"
            }
            if node == .first && state.loss == .unservedSlot { return "-CLUSTERDOWN Hash slot not served\r\n" }
            return "+\(node.rawValue)\r\n"
        }
    }

    /// A reply to `CLUSTER SLOTS`; an empty host stands for the one that was asked.
    private static func slots(through last: Int, of port: Int) -> String {
        "*1\r\n*3\r\n:0\r\n:\(last)\r\n*2\r\n$0\r\n\r\n:\(port)\r\n"
    }
}

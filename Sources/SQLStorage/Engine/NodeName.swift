/// Names of nodes other than those that settings give.
package enum NodeName {
    private static let commandEnding = "-cli"

    /// The name under which commands write next to a server of this name.
    package static func ofCommand(beside node: String) -> String { node + commandEnding }

    /// Whether a command writes under it.
    static func isOfCommand(_ node: String) -> Bool { node.hasSuffix(commandEnding) }

    /// For whoever calls a command while another one has its name: neither is in the wrong place.
    static func commandInUse(_ node: String) -> String {
        "another drawbridge command writes this database as the node \(node.debugDescription); try again when it has "
            + "ended"
    }
}

/// Whether this process is the one that writes as its node.
package struct NodeStanding: Hashable, Sendable {
    package let isHeld: Bool
    /// Grows by one whenever another process takes the name.
    package let epoch: Int64

    package init(isHeld: Bool, epoch: Int64) {
        self.isHeld = isHeld
        self.epoch = epoch
    }
}

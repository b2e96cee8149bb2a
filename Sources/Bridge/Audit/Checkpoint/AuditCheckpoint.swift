/// A signed statement "node N has written `size` events and the last one's hash is H".
///
/// The chain alone cannot show that its newest events were cut off; a checkpoint held elsewhere can.
package struct AuditCheckpoint: Hashable, Sendable {
    package let node: String
    /// The sequence of the last event it covers.
    package let size: Int64
    package let at: Timestamp
    /// The covered chain's last hash.
    package let hash: String
    /// The whole C2SP signed note: text, blank line, signature line.
    package let note: String

    package init(node: String, size: Int64, at: Timestamp, hash: String, note: String) {
        self.node = node
        self.size = size
        self.at = at
        self.hash = hash
        self.note = note
    }
}

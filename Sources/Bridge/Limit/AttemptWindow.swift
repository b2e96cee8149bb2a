/// So many attempts from the first one on, then none for a while.
///
/// Unlike a bucket it says "ten a minute" to the letter, and one attempt too many closes it for the whole block.
package struct AttemptWindow: Hashable, Sendable {
    package let count: Int
    package let duration: Duration
    /// How long it stays closed after one attempt too many; attempts meanwhile do not lengthen it.
    package let block: Duration

    package init(count: Int, per duration: Duration, block: Duration) {
        self.count = max(1, count)
        self.duration = max(.milliseconds(1), duration)
        self.block = max(.milliseconds(1), block)
    }
}

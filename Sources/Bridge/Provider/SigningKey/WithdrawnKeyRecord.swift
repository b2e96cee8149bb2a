/// Remembers beside the database which keys were retired at once, so that a backup of the database that is older than
/// that does not bring them back.
package protocol WithdrawnKeyRecord: Sendable {
    /// The `kid`s of all keys that were ever seen retired so.
    func ids() throws -> Set<String>

    func add(_ ids: Set<String>) throws
}

/// Answers what a node does not know yet.
package protocol KeyInquiry: Sendable {
    /// Takes in a key that a token names, if the database has it.
    ///
    /// Tokens can name keys that never were, as often as somebody likes; asking about them costs the database nothing
    /// to speak of.
    /// - Throws: ``StorageError`` when the database cannot say.
    func learn(_ keyID: String) async throws
}
